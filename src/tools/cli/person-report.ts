import type { CodeReport, LedgerReport, PersonReport } from '../../challenge/operator/inspection.js'
import { hourMs, minuteMs, secondMs } from '../../lib/time.js'
import { printable } from './quote.js'

/** Reasons for a wait. */
const reasons = {
  lock: 'locked',
  challenge: 'all attempts of one code are used',
  knownBrowser: 'a code for a known browser is still valid',
  sends: 'hourly or daily send limit reached',
  unjudged: 'pause after codes without a verdict of the provider',
  number: 'limit of its number over all accounts reached',
  guesses: 'hourly or daily attempt limit reached',
  cooldown: 'pause after the last code',
} as const

type Reason = keyof typeof reasons

/** Describes a ledger, line by line. */
export function describeLedger(seen: LedgerReport): readonly string[] {
  return [...statusLines(seen), ...codeLines(seen.codes)]
}

/** Describes an account, line by line. */
export function describePerson(person: PersonReport): readonly string[] {
  const { known, passkeys, sessions, trustedDevices, recoveryTries } = person
  const lastPasskey = passkeys.at(-1)
  const { count, most, endsInMs } = recoveryTries
  return [
    ...statusLines(person),
    ...(known === undefined ? [] : [line('Known', waitText(known))]),
    ...codeLines(person.codes),
    ...(lastPasskey === undefined
      ? []
      : [line('Passkeys', `${passkeys.length} accepted in the last day, the last ${momentOf(lastPasskey)}`)]),
    line('Sessions', `${sessions} with a valid grant`),
    line('Devices', trustedDevices.length === 0 ? 'none trusted' : `${trustedDevices.length} trusted`),
    ...trustedDevices.map(({ label = 'without a label', trustedAt, usedAt, endsAt }) => {
      const times = `since ${dayOf(trustedAt)}, used ${dayOf(usedAt)}, until ${dayOf(endsAt)}`
      return line('', `${printable(label)}, ${times}`)
    }),
    line(
      'Recovery',
      count === 0 ? 'no attempts today' : `${count} of ${most} attempts used, reset in ${span(endsInMs)}`,
    ),
  ]
}

type NumberState = NonNullable<PersonReport['number']>

/** Describes the counters of a number over all accounts, line by line. */
export function describeNumber({ sendsInHour, sendsInDay, wrongCodesInDay }: NumberState): readonly string[] {
  return [
    '\nThe number, over all accounts\n',
    line('Hour', `codes sent: ${countText(sendsInHour)}`),
    line('Day', `codes sent: ${countText(sendsInDay)}`),
    line('', `wrong codes: ${countText(wrongCodesInDay)}`),
  ]
}

/** Returns a count with both limits and the browsers that wait: `12 of 12 in unknown browsers, 12 of 20 in all; …`. */
function countText({ count, unknown, max, unknownMax, endsInMs }: NumberState['sendsInDay']): string {
  const of = (used: number, limit: number) => `${used === 0 ? 'none' : used} of ${limit}`
  const hasShare = unknownMax < max
  const counts = hasShare
    ? `${of(unknown, unknownMax)} in unknown browsers, ${of(count, max)} in all`
    : of(count, max)
  if (count === 0) return counts
  if (count >= max) return `${counts}; every browser waits ${span(endsInMs)}`
  const isShareUsed = hasShare && unknown >= unknownMax
  return `${counts}; ${isShareUsed ? 'unknown browsers wait' : 'reset in'} ${span(endsInMs)}`
}

/** Printed without a number. */
export const withoutNumber = [
  '\nOther accounts may have used up the limits of the number. To see them, and to reset those of a number that\nreceived no code of this account, pass --number <number>.',
]

const line = (name: string, text: string) => `  ${name.padEnd(13)}${text}`

function statusLines({ lockedForMs, judged, strangers }: LedgerReport): readonly string[] {
  const wrong = `${judged} wrong ${judged === 1 ? 'code' : 'codes'} since the last success`
  if (strangers.disabled) return [line('Disabled', `${wrong}; only --unlock lifts it`)]
  const state = lockedForMs > 0 ? line('Locked', `for ${span(lockedForMs)}: ${wrong}`) : line('Open', wrong)
  return [state, line('Next', waitText(strangers))]
}

/** Returns each wait and its reason: `code in 43 s (pause after the last code), attempt now`. */
function waitText({ disabled, send, cooldown, check }: LedgerReport['strangers']): string {
  if (disabled) return 'disabled; only --unlock lifts it'
  return `code ${soonest({ ...send, cooldown })}, attempt ${soonest(check)}`
}

function soonest(waits: Readonly<Partial<Record<Reason, number>>>): string {
  const [reason, ms] = Object.entries(waits).reduce((most, one) => (one[1] > most[1] ? one : most))
  return ms === 0 ? 'now' : `in ${span(ms)} (${reasons[reason as Reason]})`
}

const states = {
  booked: 'in progress, or lost',
  sent: 'sent, not entered',
  unconfirmed: 'perhaps sent: the provider did not respond',
  refused: 'refused by the provider',
  entered: 'sent and entered',
} as const satisfies Record<CodeReport['state'], string>

function codeLines(codes: readonly CodeReport[]): readonly string[] {
  const count = codes.length === 0 ? 'none in the last day' : `${codes.length} in the last day`
  return [
    line('Codes', count),
    ...codes.map(({ at, channel, state, inKnownBrowser, isForgiven }) => {
      const where = inKnownBrowser ? ', in a known browser' : ''
      const forgiven = isForgiven ? ', forgiven' : ''
      return line('', `${momentOf(at)} ${channel}: ${states[state]}${where}${forgiven}`)
    }),
  ]
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
const momentOf = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** Rounds up, so that the wait is over after the displayed time. */
export function span(ms: number): string {
  if (ms < minuteMs) return `${Math.ceil(ms / secondMs)} s`
  const minutes = Math.ceil(ms / minuteMs)
  if (ms < hourMs) return `${minutes} min`
  const rest = minutes % 60
  return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`
}
