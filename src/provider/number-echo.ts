import { isJsonObject } from '../lib/json.js'
import { parsePhoneNumber } from '../phone-number.js'

/**
 * Which number the answer to a send names.
 * - `none`: no number at all.
 * - `own`: the number it was sent to, digit by digit.
 * - `spelled`: the same one as it is dialled at home or from abroad.
 * - `masked`: a number in part, of which nothing contradicts the one it was sent to.
 * - `others`: another number, or more than one. The code went to another phone, or may have.
 */
export type NumberEcho = 'none' | 'own' | 'spelled' | 'masked' | 'others'

/** From what says least of the number to what says most against it. */
const weights: readonly NumberEcho[] = ['none', 'own', 'spelled', 'masked', 'others']

/** Members that hold a number wherever they stand. Others may hold ids and times, which look like one. */
const phoneMembers = /phone|mobile|msisdn|recipient|destination|^to$|^numbers?$/i
const fewestDigits = 8

/**
 * Reads which number an answer names. The provider sends to comma lists elsewhere, and a second entry is a second
 * message whatever it holds. Reads the raw answer in every depth, because no specification says where else a number may
 * be named.
 */
export async function numberEchoIn(raw: unknown, destination: string): Promise<NumberEcho> {
  if (hasSeveralEntries(raw)) return 'others'
  const own = digitsOf(destination)
  let heaviest: NumberEcho = 'none'
  for (const spelled of new Set(numbersIn(raw))) {
    const echo = await echoOf(spelled, own)
    // At the first one: an answer may name ten thousand.
    if (echo === 'others') return echo
    if (weights.indexOf(echo) > weights.indexOf(heaviest)) heaviest = echo
  }
  return heaviest
}

function hasSeveralEntries(raw: unknown): boolean {
  return membersIn(raw).some(
    ([member, value]) => member === 'data' && Array.isArray(value) && value.length > 1,
  )
}

/** Every number that an answer names, as it is spelled there. */
export function numbersIn(raw: unknown): string[] {
  return membersIn(raw).flatMap(([member, value]) => {
    if (isJsonObject(value)) return Object.keys(value).filter((name) => /^\+?\d{9,15}$/.test(name))
    if (Array.isArray(value) || !phoneMembers.test(member)) return []
    const spelled = String(value ?? '')
    const fewest = member === 'phone' ? 1 : fewestDigits
    return digitsOf(spelled).length >= fewest || hidden.test(spelled) ? [spelled] : []
  })
}

/** Every value in an answer with the member that it stands under, itself first. */
function membersIn(raw: unknown): (readonly [member: string, value: unknown])[] {
  // The list grows as it is read, in place of recursion: an answer may be nested ten thousand deep.
  const members: (readonly [member: string, value: unknown])[] = [['', raw]]
  const seen = new Set<unknown>()
  for (const [member, value] of members) {
    // What a client of the host resolves with may lead back to itself.
    if (seen.has(value)) continue
    if (Array.isArray(value)) for (const entry of value) members.push([member, entry])
    else if (isJsonObject(value)) for (const entry of Object.entries(value)) members.push(entry)
    else continue
    seen.add(value)
  }
  return members
}

/** What services put in place of digits that they do not show: `300***4567`, `30XXXXX567`, `••••4567`, `…4567`. */
const hidden = /[*•●·#…]|[\dx]x+/i

async function echoOf(spelled: string, own: string): Promise<NumberEcho> {
  if (spelled.split(/[,;|]/).filter((part) => /\d/.test(part)).length > 1) return 'others'
  const digits = digitsOf(spelled)
  if (digits === own) return 'own'
  if (hidden.test(spelled)) {
    const shown = spelled.replaceAll(/[\s().-]/g, '').replace(/^.*\D/s, '')
    return own.endsWith(shown) ? 'masked' : 'others'
  }
  return (await isSame(digits, own)) ? 'spelled' : 'others'
}

/** Whether these digits are dialled to reach our own number. */
async function isSame(digits: string, own: string): Promise<boolean> {
  // No number begins with a zero (E.164): 0 is dialled before one at home, 00 or 011 before one abroad.
  const significant = digits.replace(/^0+/, '')
  if (own.endsWith(significant) || (digits.startsWith('0') && digits.endsWith(own))) return true
  // +52 1 55… in Mexico and +44 (0) 77… have a digit too many, which the numbering plans know.
  const read = await parsePhoneNumber(`+${significant}`, { countries: 'any' })
  return read.ok && digitsOf(read.phone) === own
}

function digitsOf(spelled: unknown): string {
  return String(spelled ?? '').replace(/\D/g, '')
}
