import { type Check, type Checks, durationMs, integer, list, object, oneOf, that } from '../lib/options.js'
import { minuteMs, secondMs } from '../lib/time.js'

/** A configurable limit with its default and its check. */
interface Limit<Value> {
  readonly byDefault: Value
  readonly check: Check
}

function limit<Value>(byDefault: Value, check: Check): Limit<Value> {
  return { byDefault, check }
}

const atLeastOne = integer(1)
const nonNegative = integer(0)
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
 * All limits of the option `limits`. The sentence above each limit becomes its row in docs/reference.md; the line below
 * it names the source of the default. Durations are milliseconds.
 */
const limitTable = {
  /**
   * Maximum submitted codes per challenge (1 to 10), counted separately for known and unknown browsers.
   *
   * Multiplied by `sendsPerHour` and `sendsPerDay` it limits an account to 25 attempts per hour and 50 per day. Resends,
   * restarts and cancellations do not change it. Twice the daily figure limits the wrong codes of a number over all
   * accounts.
   */
  // PSD2 RTS, article 4(3)(b): five consecutive failures. Twilio Verify and Ory Kratos use the same.
  attemptsPerChallenge: limit(5, integer(1, 10)),
  /**
   * Wrong codes from unknown browsers that lock them out of the account (at sign-up, the number). Every five more lock
   * them out again.
   *
   * Known browsers are neither counted nor locked.
   */
  // better-auth and login.gov: ten. With five more per lock it stays far below NIST's hundred.
  failuresBeforeLock: limit(10, atLeastOne),
  /**
   * Duration of the first lock. Each further lock doubles it, up to one hour.
   *
   * Only a success resets it.
   */
  // NIST SP 800-63B-4, 3.2.2: waits that grow up to an hour.
  lockMs: limit(15 * minuteMs, durationMs),
  /**
   * Consecutive wrong codes that disable the account for a year, or until `tf.subjects.unlock` (`subject.disabled`, 403
   * `account_disabled`). 60% of them from unknown browsers disable it for these only.
   */
  // NIST SP 800-63B-4, 3.2.2: no more than a hundred consecutive failures.
  failuresBeforeDisable: limit(100, atLeastOne),
  /** Maximum lifetime of a code, even if the provider allows more. */
  // NIST SP 800-63B-4, 3.1.3.2, and OWASP ASVS 5.0, 6.5.5: at most ten minutes.
  codeLifetimeMs: limit(10 * minuteMs, durationMs),
  /**
   * Pause after the first, second and later codes from one account to one number. The last value repeats.
   *
   * Known and unknown browsers are counted separately. If the provider refused to send, another channel needs no pause.
   * After three codes without a verdict of the provider, the pause is at least ten minutes.
   */
  // Supabase and authgear: a minute, then longer.
  cooldownMs: limit<readonly number[]>([minuteMs, 2 * minuteMs, 5 * minuteMs], pauses),
  /**
   * Maximum codes per account and hour that were sent but not entered, counted separately for known and unknown
   * browsers. At sign-up, the limit is per number. A call counts as two.
   *
   * The limit covers all numbers of an account. At sign-in, codes without a response or a verdict of the provider do
   * not count.
   */
  // Auth0 and authgear: five to ten messages per hour and number.
  sendsPerHour: limit(5, nonNegative),
  /** Like `sendsPerHour`, for 24 hours. */
  sendsPerDay: limit(10, nonNegative),
  /**
   * Maximum codes per number and hour across all accounts, entered or not. A call counts as two.
   *
   * A code counts even if the provider's response was lost. A code that the provider postponed, or whose check gave no
   * verdict, also counts for `allSendsPerDay`. A code that could not reach the provider does not count.
   */
  // More than any user signs in, including those who enter every code.
  allSendsPerHour: limit(20, nonNegative),
  /**
   * Like `allSendsPerHour`, for 24 hours.
   *
   * At sign-in, codes without a response of the provider count for the hour only.
   */
  allSendsPerDay: limit(50, nonNegative),
  /**
   * Maximum codes per day to an unverified number. At sign-up, the lower of this limit and `sendsPerDay` applies.
   *
   * Codes without a response of the provider count for the hour and for `allSendsPerDay` only.
   */
  // Traffic pumping uses such numbers.
  enrolSendsPerDay: limit(3, nonNegative),
  /** Maximum numbers per session and day at sign-up. */
  numbersPerSessionPerDay: limit(3, nonNegative),
  /**
   * Maximum codes in 10 minutes per IP address (IPv4, or an IPv6 /56), from `req.ip`. `false` disables
   * the limit.
   *
   * A private address may belong to a proxy, so it gets ten times as many. A code counts here and for
   * `serviceSendsPerMinute` even if it could not reach the provider.
   */
  // An office or a mobile carrier shares one address among many users.
  sendsPerAddressPer10Min: limit<number | false>(200, countOrOff),
  /** Like `sendsPerAddressPer10Min`, for sign-ups. */
  enrolSendsPerAddressPer10Min: limit<number | false>(20, countOrOff),
  /**
   * Maximum codes at sign-up that were not entered, per day and IP address (IPv4, or an IPv6 /48). `false` disables the
   * limit.
   *
   * Codes that the provider refused count, too.
   */
  // A twentieth of the service's limit. If seven of ten are entered, 500 users a day behind one carrier's address.
  enrolSendsPerAddressPerDay: limit<number | false>(150, countOrOff),
  /**
   * Maximum codes per minute across all accounts. Sign-ins and sign-ups have separate counters. A call counts as one.
   */
  serviceSendsPerMinute: limit(600, nonNegative),
  /** Maximum codes per hour across all unverified numbers. */
  serviceEnrolSendsPerHour: limit(600, nonNegative),
  /** Like `serviceEnrolSendsPerHour`, for 24 hours. */
  // SMS pumping costs money per message. This limits the cost of a day.
  serviceEnrolSendsPerDay: limit(3_000, nonNegative),
}

/** The limits that the option `limits` can change. Durations are milliseconds. */
export type OptionLimits = {
  readonly [Name in keyof typeof limitTable]: (typeof limitTable)[Name]['byDefault']
}

/** Deadlines in milliseconds. Provider and store set them with their own `timeoutMs`. */
export type Timeouts = {
  /** Deadline of a send. */
  readonly sendTimeoutMs: number
  /** Deadline of a check. */
  readonly verifyTimeoutMs: number
  /** Deadline of a store command. */
  readonly storeTimeoutMs: number
}

/** Deadlines of a provider and a store that set none. */
export const defaultTimeouts: Timeouts = {
  sendTimeoutMs: 10 * secondMs,
  verifyTimeoutMs: 8 * secondMs,
  storeTimeoutMs: 250,
}

/** Every limit and deadline in force. */
export type Limits = OptionLimits &
  Timeouts & {
    /** True if known and unknown browsers share the attempts of a challenge. */
    readonly attemptsAreShared?: true
  }

/** Upper bounds of a stricter set. Smaller values are accepted, larger ones are an error. */
export const profiles = {
  /** Commission Delegated Regulation (EU) 2018/389 (PSD2 RTS), article 4(3). */
  psd2: { attemptsPerChallenge: 5, failuresBeforeLock: 5 },
} as const satisfies Record<string, Partial<OptionLimits>>

/** Maximum age of a grant for a purpose other than `login`, by profile. Article 4(3)(d): five minutes. */
export const maxStepUpAges = { psd2: 5 * minuteMs } as const satisfies Record<keyof typeof profiles, number>

/** The option `limits`: single limits, or a whole stricter set. */
export type LimitsOption = Partial<OptionLimits> & { readonly profile?: keyof typeof profiles }

/** Returns one member of each limit. */
const each = <Member extends 'byDefault' | 'check'>(member: Member) =>
  Object.fromEntries(Object.entries(limitTable).map(([name, limit]) => [name, limit[member]]))

/** Defaults of the option `limits`. */
export const defaultLimits = each('byDefault') as unknown as OptionLimits

export const limitsOption: Check = object(
  { profile: oneOf(...Object.keys(profiles)), ...(each('check') as unknown as Checks<OptionLimits>) },
  [],
  'docs/reference.md#limits',
)

/** `auth` for numbers on file (sign-in). `enrol` for numbers without a verification (sign-up). */
export type Lane = 'auth' | 'enrol'

/** Limits of one ledger. `failuresBeforeDisable` is Infinity for numbers, which are never disabled. */
export interface LedgerLimits extends Limits {
  readonly lane: Lane
  /** True if some browsers are known, so that unknown ones have a share. */
  readonly browsersAreKnown: boolean
  /** How long a check blocks others: its deadline plus the store commands around it. */
  readonly checkMs: number
  /** How long a send may be in progress. */
  readonly sendMs: number
  /** Codes of a day, from which an outage of checks must leave some. */
  readonly codesWithoutVerdictPerDay: number
}

/** Minimum time by which a check outlives its deadline: the store command after it, and one retry. */
const leaseMarginMs = 2_000
/** Store commands between a reserved attempt and its verdict: one count, the settle, and as many in reserve. */
const commandsOnTheWay = 4
/**
 * Maximum wrong signatures of an account from one address in ten minutes, for each kind of browser. A signature cannot
 * be guessed, so the limit only saves work, and no other address and no code is affected (denial of service).
 */
export const maxWrongSignatures = 20

/** Returns the share of unknown browsers: 60%, so that a known browser always finds some left. */
export const shareOfUnknownBrowsers = (most: number): number => Math.floor((most * 3) / 5)

/** Time after its deadline at which a send without a result counts as lost. */
const lostAfterMs = 2_000

/**
 * Returns the limits of a ledger at sign-in. `browsersAreKnown` is false if browsers are not tracked. The sends of a
 * number are counted over all accounts, not here.
 */
export function signInLimitsOf(
  limits: Limits,
  { browsersAreKnown }: Pick<LedgerLimits, 'browsersAreKnown'>,
): LedgerLimits {
  const never = Number.POSITIVE_INFINITY
  return {
    ...withTimes(limits),
    lane: 'auth',
    browsersAreKnown,
    allSendsPerHour: never,
    allSendsPerDay: never,
  }
}

/**
 * Returns the limits of a ledger at sign-up. It locks a number but never disables it, because no account depends on it
 * yet. It counts the sends of the number.
 */
export function signupLimitsOf(limits: Limits): LedgerLimits {
  return {
    ...withTimes(limits),
    lane: 'enrol',
    browsersAreKnown: false,
    failuresBeforeDisable: Number.POSITIVE_INFINITY,
    sendsPerDay: Math.min(limits.sendsPerDay, limits.enrolSendsPerDay),
  }
}

function withTimes(limits: Limits): Omit<LedgerLimits, 'lane' | 'browsersAreKnown'> {
  const onTheWayMs = Math.max(leaseMarginMs, commandsOnTheWay * limits.storeTimeoutMs)
  return {
    ...limits,
    checkMs: limits.verifyTimeoutMs + onTheWayMs,
    sendMs: sendMsOf(limits),
    codesWithoutVerdictPerDay: Math.min(
      limits.attemptsPerChallenge * limits.sendsPerDay,
      limits.allSendsPerDay,
    ),
  }
}

/** Returns how long a send may be in progress, in milliseconds. */
export const sendMsOf = ({ sendTimeoutMs }: Limits): number => sendTimeoutMs + lostAfterMs
