import { type Check, type Checks, durationMs, integer, list, object, oneOf, that } from '../lib/options.js'
import { minuteMs, secondMs } from '../lib/time.js'

/** A bound that an operator may set: what holds otherwise, and what it may be. */
interface Limit<Value> {
  readonly byDefault: Value
  readonly check: Check
}

function limit<Value>(byDefault: Value, check: Check): Limit<Value> {
  return { byDefault, check }
}

const atLeastOne = integer(1)
const count = integer(0)
const countOrOff = that(
  'must be an integer, 0 or more, or false',
  (value) => value === false || (Number.isSafeInteger(value) && Number(value) >= 0),
)
const pauses = list(
  integer(0, Number.MAX_SAFE_INTEGER, ' (milliseconds)'),
  'must list at least one pause in milliseconds, in an array such as [30_000]',
  1,
)

/**
 * Every bound that an operator may set: the option `limits` takes these names, and docs/reference.md is made from
 * the sentence above each; below it stands where its default comes from. Durations in milliseconds.
 */
const limitTable = {
  /**
   * Codes that may be typed for one challenge, 1 to 10. Times `sendsPerHour` and `sendsPerDay` these are the guesses of
   * an account: 25 an hour, 50 a day.
   *
   * Whatever is resent, restarted or cancelled. Twice those of a day are the wrong codes of a number over all accounts.
   */
  // PSD2 RTS, article 4(3)(b): five consecutive failures; Twilio Verify and Ory Kratos do the same.
  attemptsPerChallenge: limit(5, integer(1, 10)),
  /**
   * Strangers' wrong codes until they are locked out of the account (at a sign-up, of the number); every five more lock
   * it again.
   *
   * Strangers are browsers that are not known: these are neither counted nor locked out.
   */
  // better-auth and login.gov: ten. With five more per lock it stays far below the hundred of NIST.
  failuresBeforeLock: limit(10, atLeastOne),
  /**
   * How long the first lock lasts; each further one takes twice as long, up to an hour.
   *
   * Only a success brings it back to this.
   */
  // NIST SP 800-63B-4, 3.2.2: waits that grow up to an hour.
  lockMs: limit(15 * minuteMs, durationMs),
  /**
   * Wrong codes since the last success until only `tf.subjects.unlock` helps; three fifths of them from strangers.
   */
  // NIST SP 800-63B-4, 3.2.2: no more than a hundred consecutive failures.
  failuresBeforeDisable: limit(100, atLeastOne),
  /** Longest life of a code, whatever the provider says. */
  // NIST SP 800-63B-4, 3.1.3.2, and OWASP ASVS 5.0, 6.5.5: ten minutes at most.
  codeLifetimeMs: limit(10 * minuteMs, durationMs),
  /**
   * The pause after the first, second, … code of an account to one number; the last one repeats.
   *
   * After a refused send it holds for its own channel only.
   */
  // Supabase and authgear: a minute, then longer.
  cooldownMs: limit<readonly number[]>([minuteMs, 2 * minuteMs, 5 * minuteMs], pauses),
  /**
   * Codes sent for an account (at a sign-up, to a number) and not entered; a call counts as two.
   *
   * Over all its numbers. Codes that the provider gave no answer or no verdict about do not count at a sign-in.
   */
  // Auth0 and authgear: five to ten messages per hour and number.
  sendsPerHour: limit(5, count),
  /** The same in 24 hours. */
  sendsPerDay: limit(10, count),
  /** Codes sent to a number for all accounts, entered or not. */
  // Nobody signs in more often, also among those who enter every code.
  allSendsPerHour: limit(20, count),
  /** The same in 24 hours. */
  allSendsPerDay: limit(50, count),
  /** Codes sent to a number that nobody has proven yet. */
  // Such numbers are what traffic pumping is made of.
  enrolSendsPerDay: limit(3, count),
  /** Numbers that one session may try at sign-ups. */
  numbersPerSessionPerDay: limit(3, count),
  /**
   * Codes asked for by one IPv4 address or IPv6 /56, by `req.ip`; ten times as many where that is a private address,
   * perhaps of a proxy. `false` switches it off.
   */
  // An office or a mobile carrier shares one address among many people who sign in.
  sendsPerAddressPer10Min: limit<number | false>(200, countOrOff),
  /** The same at sign-ups. */
  enrolSendsPerAddressPer10Min: limit<number | false>(20, countOrOff),
  /**
   * Codes that one IPv4 address or IPv6 /48 asked for at sign-ups and did not enter. `false` switches it off.
   *
   * Those that the provider refused count, too.
   */
  // A twentieth of what the service sends: with seven of ten proven, 500 people a day behind one carrier's address.
  enrolSendsPerAddressPerDay: limit<number | false>(150, countOrOff),
  /** Codes of the whole service, counted apart for sign-ins and for sign-ups. */
  serviceSendsPerMinute: limit(600, count),
  /** Codes sent to all numbers that nobody has proven yet. */
  serviceEnrolSendsPerHour: limit(600, count),
  /** The same in 24 hours. */
  // SMS pumping is paid by the message: this bounds what a day of it costs.
  serviceEnrolSendsPerDay: limit(3_000, count),
}

/** The limits that the option `limits` can change. Durations are milliseconds. */
export type OptionLimits = {
  readonly [Name in keyof typeof limitTable]: (typeof limitTable)[Name]['byDefault']
}

/** Deadlines in milliseconds. Provider and store set them with their own `timeoutMs`. */
export type Timeouts = {
  /** Of a send. */
  readonly sendTimeoutMs: number
  /** Of a check. */
  readonly verifyTimeoutMs: number
  /** Of a store command. */
  readonly storeTimeoutMs: number
}

/** Deadlines of a provider and a store that set none. */
export const defaultTimeouts: Timeouts = {
  sendTimeoutMs: 10 * secondMs,
  verifyTimeoutMs: 8 * secondMs,
  storeTimeoutMs: 250,
}

/** Every limit and deadline in force. */
export type Limits = OptionLimits & Timeouts

/** Upper bounds of a stricter set: narrower values are taken, wider ones are a mistake. */
export const profiles = {
  /** Commission Delegated Regulation (EU) 2018/389 (PSD2 RTS), article 4(3). */
  psd2: { attemptsPerChallenge: 5, failuresBeforeLock: 5 },
} as const satisfies Record<string, Partial<OptionLimits>>

/** Maximum age of a grant for a purpose other than `login`, by profile. Article 4(3)(d): five minutes. */
export const maxStepUpAges = { psd2: 5 * minuteMs } as const satisfies Record<keyof typeof profiles, number>

/** The option `limits`: single limits, or a whole stricter set. */
export type LimitsOption = Partial<OptionLimits> & { readonly profile?: keyof typeof profiles }

/** One member of each limit. */
const each = <Member extends 'byDefault' | 'check'>(member: Member) =>
  Object.fromEntries(Object.entries(limitTable).map(([name, limit]) => [name, limit[member]]))

/** What holds unless the host says otherwise. */
export const defaultLimits = each('byDefault') as unknown as OptionLimits

export const limitsOption: Check = object(
  { profile: oneOf(...Object.keys(profiles)), ...(each('check') as unknown as Checks<OptionLimits>) },
  [],
  'docs/reference.md#limits',
)

/** `auth`: numbers on file. `enrol`: numbers that are not proven yet. */
export type Lane = 'auth' | 'enrol'

/** The limits of one ledger. `failuresBeforeDisable` is Infinity where numbers are never disabled. */
export interface LedgerLimits extends Limits {
  readonly lane: Lane
  /** Whether some browsers are known, so that strangers have a share. */
  readonly browsersAreKnown: boolean
  /** How long one check keeps others waiting: its timeout, and the way there and back. */
  readonly checkMs: number
  /** How long a send may be under way. */
  readonly sendMs: number
}

/** How long a check outlives its timeout, at the least: the way back to the store, and the time to try it again. */
const leaseMarginMs = 2_000
/** Commands of the store between a reserved attempt and its verdict: one count, the settle, and as many to spare. */
const commandsOnTheWay = 4
/** Of what an account or a number has, strangers may use so much: a known browser always finds something left. */
export const shareOfUnknownBrowsers = (most: number): number => Math.floor((most * 3) / 5)

/** How long after its deadline a send that nobody heard of is lost. */
const lostAfterMs = 2_000

/**
 * The limits of a ledger. Enrolment locks a number but never disables it: no account depends on it yet. What a number
 * may be sent in all is counted there; at sign-in it is counted over all accounts.
 */
export function ledgerLimitsOf(limits: Limits, lane: Lane, browsersAreKnown = false): LedgerLimits {
  const onTheWayMs = Math.max(leaseMarginMs, commandsOnTheWay * limits.storeTimeoutMs)
  const ledger = {
    ...limits,
    lane,
    browsersAreKnown: lane === 'auth' && browsersAreKnown,
    checkMs: limits.verifyTimeoutMs + onTheWayMs,
    sendMs: limits.sendTimeoutMs + lostAfterMs,
  }
  const never = Number.POSITIVE_INFINITY
  if (lane === 'auth') return { ...ledger, allSendsPerHour: never, allSendsPerDay: never }
  const sendsPerDay = Math.min(limits.sendsPerDay, limits.enrolSendsPerDay)
  return { ...ledger, failuresBeforeDisable: never, sendsPerDay }
}
