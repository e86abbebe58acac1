import type { BrowserKind } from '../../../src/challenge/ledger/ledger.js'
import { figures, type Guesses } from './oracle.js'

/**
 * What the outside saw: codes that somebody judged, people who were let in, and the operator. The bounds are told from it
 * alone, whatever the ledger believes and whatever the clock did.
 */
export type Seen =
  | {
      readonly what: 'checked'
      readonly at: number
      readonly challenge: string
      readonly browserKind: BrowserKind
      readonly attempt: string
      /** Names challenge, code and last send. The same code checked again is no further guess. */
      readonly guess: string
      /** Whether it was told that the code is wrong. */
      readonly judged: boolean
    }
  | {
      readonly what: 'let in'
      readonly at: number
      readonly challenge: string
      readonly attempt: string
      readonly code: string
      readonly session: string
      readonly startedBy: string
      /** Whether the code is right. */
      readonly right: boolean
    }
  | { readonly what: 'enabled' }

const hour = 60 * 60_000
const day = 24 * hour

/** Whether no hour and no day sees more codes checked than it may. Those that let somebody in do not count. */
function keptTo(
  { checksPerHour, checksPerDay }: Guesses,
  history: readonly Seen[],
  by?: BrowserKind,
): boolean {
  const letIn = new Set(history.flatMap((seen) => (seen.what === 'let in' ? [seen.attempt] : [])))
  const checks = history.flatMap((seen) =>
    seen.what === 'checked' && (by ?? seen.browserKind) === seen.browserKind ? [seen] : [],
  )
  const right = new Set(checks.filter(({ attempt }) => letIn.has(attempt)).map(({ guess }) => guess))
  const moments = checks
    .filter(({ guess }, index) => checks.findIndex((first) => first.guess === guess) === index)
    .filter(({ guess }) => !right.has(guess))
    .map(({ at }) => at)
  const most = (windowMs: number) =>
    Math.max(0, ...moments.map((end) => moments.filter((at) => at <= end && at > end - windowMs).length))
  return most(hour) <= checksPerHour && most(day) <= checksPerDay
}

/** Whether no more wrong codes in a row were judged than disable it. */
function disabledAfter(most: number, history: readonly Seen[], by?: BrowserKind): boolean {
  let judged = 0
  return history.every((seen) => {
    if (seen.what === 'let in') judged = 0
    if (seen.what === 'checked' && seen.judged && (by ?? seen.browserKind) === seen.browserKind) judged += 1
    return judged <= most
  })
}

/** The bounds that a history broke. The operator begins a new one. */
export function broken(whole: readonly Seen[]): string[] {
  const enabledAt = whole.findLastIndex(({ what }) => what === 'enabled')
  const history = whole.slice(enabledAt + 1)
  const letIn = whole.filter((seen) => seen.what === 'let in')
  const pairs = letIn.flatMap((one, index) => letIn.slice(index + 1).map((other) => [one, other] as const))
  const { ofUnknown } = figures
  const kept: Readonly<Record<string, boolean>> = {
    'checks of an account': keptTo(figures, history),
    'checks by strangers': keptTo(ofUnknown, history, 'unknown'),
    'wrong codes until it is disabled': disabledAfter(figures.failuresBeforeDisable, history),
    'wrong codes by strangers': disabledAfter(ofUnknown.failuresBeforeDisable, history, 'unknown'),
    'one success for each challenge': pairs.every(([one, other]) => one.challenge !== other.challenge),
    'one success for each code in a day': pairs.every(
      ([one, other]) => one.code !== other.code || Math.abs(other.at - one.at) >= day,
    ),
    'success for a right code alone': letIn.every(({ right }) => right),
    'success in its own session alone': letIn.every(({ session, startedBy }) => session === startedBy),
  }
  return Object.keys(kept).filter((rule) => kept[rule] === false)
}
