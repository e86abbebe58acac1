import { isJsonObject } from '../lib/json.js'
import { parsePhoneNumber } from '../phone-number.js'

/**
 * Number in the response to a send.
 * - `none`: no number.
 * - `own`: the destination, digit by digit.
 * - `spelled`: the destination as it is dialled at home or from abroad.
 * - `masked`: part of a number that does not contradict the destination.
 * - `others`: another number, or several. The code went or may have gone to another phone.
 */
export type NumberEcho = 'none' | 'own' | 'spelled' | 'masked' | 'others'

/** Ordered from the weakest to the strongest objection to the number. */
const weights: readonly NumberEcho[] = ['none', 'own', 'spelled', 'masked', 'others']

/** Members that contain a number at any depth. Other members may contain ids and times, which look like numbers. */
const phoneMembers = /phone|mobile|msisdn|recipient|destination|^to$|^numbers?$/i
const fewestDigits = 8

/**
 * Reads which number a response names. A second entry is a second message, whatever it contains. It reads the raw
 * response at every depth, because no specification lists the members that may contain a number.
 */
export async function numberEchoIn(raw: unknown, destination: string): Promise<NumberEcho> {
  if (hasSeveralEntries(raw)) return 'others'
  const own = digitsOf(destination)
  let heaviest: NumberEcho = 'none'
  for (const spelled of new Set(numbersIn(raw))) {
    const echo = await echoOf(spelled, own)
    // Stops at the first one, because a response may name ten thousand.
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

/** Returns every number that a response names, in its spelling there. */
export function numbersIn(raw: unknown): string[] {
  return membersIn(raw).flatMap(([member, value]) => {
    if (isJsonObject(value)) return Object.keys(value).filter((name) => /^\+?\d{9,15}$/.test(name))
    if (Array.isArray(value) || !phoneMembers.test(member)) return []
    const spelled = String(value ?? '')
    const fewest = member === 'phone' ? 1 : fewestDigits
    return digitsOf(spelled).length >= fewest || hiddenDigit.test(spelled) ? [spelled] : []
  })
}

/** Returns every value in a response with the name of its member. The first value is the response. */
function membersIn(raw: unknown): (readonly [member: string, value: unknown])[] {
  // The list grows while it is read, in place of recursion, because a response may be nested ten thousand deep.
  const members: (readonly [member: string, value: unknown])[] = [['', raw]]
  const visited = new Set<unknown>()
  for (const [member, value] of members) {
    // The result of a client of the app may contain itself.
    if (visited.has(value)) continue
    if (Array.isArray(value)) for (const entry of value) members.push([member, entry])
    else if (isJsonObject(value)) for (const entry of Object.entries(value)) members.push(entry)
    else continue
    visited.add(value)
  }
  return members
}

/** Characters with which services replace hidden digits: `300***4567`, `30XXXXX567`, `••••4567`, `…4567`. */
const hiddenDigit = /[*•●·#…]|[\dx]x+/i

async function echoOf(spelled: string, own: string): Promise<NumberEcho> {
  if (spelled.split(/[,;|]/).filter((part) => /\d/.test(part)).length > 1) return 'others'
  const digits = digitsOf(spelled)
  if (digits === own) return 'own'
  if (hiddenDigit.test(spelled)) {
    const shown = spelled.replaceAll(/[\s().-]/g, '').replace(/^.*\D/s, '')
    return own.endsWith(shown) ? 'masked' : 'others'
  }
  return (await isSameNumber(digits, own)) ? 'spelled' : 'others'
}

/** Returns whether these digits are dialled to reach our number. */
async function isSameNumber(digits: string, own: string): Promise<boolean> {
  // No number starts with a zero (E.164). A 0 is dialled before it at home, 00 or 011 from abroad.
  const significant = digits.replace(/^0+/, '')
  if (own.endsWith(significant) || (digits.startsWith('0') && digits.endsWith(own))) return true
  // +52 1 55… in Mexico and +44 (0) 77… have one digit too many, which the numbering plans know.
  const read = await parsePhoneNumber(`+${significant}`, { countries: 'any' })
  return read.ok && digitsOf(read.phone) === own
}

function digitsOf(spelled: unknown): string {
  return String(spelled ?? '').replace(/\D/g, '')
}
