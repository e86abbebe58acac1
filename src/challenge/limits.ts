/** Every bound that an operator may set. Durations in milliseconds. */
export interface Limits {
  /** Codes that may be submitted to one challenge, 1 to 10. */
  readonly attemptsPerChallenge: number
  /** Failures on one number before it is locked; from then on every five more lock again. */
  readonly failuresBeforeLock: number
  /** The first lock; each further one is twice as long, up to an hour. */
  readonly lockMs: number
  /** Rejected codes since the last success that disable a number until the operator enables it. */
  readonly failuresBeforeDisable: number
  /** Rejected codes over all numbers of a subject. */
  readonly failuresPerSubjectPerDay: number
  /** Longest life of a code and of a challenge, whatever lifetime the provider gives. */
  readonly codeLifetimeMs: number
  /** The pause after the first, second, ... send to one number; the last one repeats. */
  readonly cooldownMs: readonly number[]
  /** Codes that one challenge may send, the first one included. */
  readonly sendsPerChallenge: number
  /** Per number, without the sends of approved challenges. */
  readonly sendsPerHour: number
  /** The same in 24 hours. */
  readonly sendsPerDay: number
  /** Calls among the sends above. */
  readonly callsPerHour: number
  /** The same in 24 hours. */
  readonly callsPerDay: number
  /** Per number, approved or not. */
  readonly allSendsPerHour: number
  /** The same in 24 hours. */
  readonly allSendsPerDay: number
  /** Per number that is not proven yet. */
  readonly enrolSendsPerDay: number
  /** To all numbers of a subject, in 24 hours. */
  readonly sendsPerSubjectPerDay: number
  /** From one session, to all numbers. */
  readonly sendsPerSessionPerHour: number
  /** Different numbers one session may try to enrol. */
  readonly numbersPerSessionPerDay: number
  /** Per IPv4 address or IPv6 /64, four times as much per /56, 16 times per /48; `false` switches it off. */
  readonly sendsPerAddressPer10Min: number | false
  /** Codes submitted, counted by address as the sends are. */
  readonly verificationsPerAddressPer10Min: number | false
  /** The same at phone verifications. */
  readonly enrolSendsPerAddressPer10Min: number | false
  /** The same at phone verifications. */
  readonly enrolVerificationsPerAddressPer10Min: number | false
  /** Codes to numbers that are not proven in the end, refused ones included; 1.5 times as much per /56 and /48. */
  readonly enrolSendsPerAddressPerDay: number | false
  /** Per lane, so that signups cannot starve sign-ins. */
  readonly serviceSendsPerMinute: number
  /** To all numbers that are not proven yet. */
  readonly serviceEnrolSendsPerHour: number
  /** The same in 24 hours: what SMS pumping can cost in a day. */
  readonly serviceEnrolSendsPerDay: number
  /** Age up to which a grant admits a step-up. */
  readonly maxAgeMs: number
  /** Age up to which a grant admits what only needs a sign-in. */
  readonly loginMaxAgeMs: number
  /** Deadline of a check at the provider; a shorter one of the client applies. */
  readonly verifyTimeoutMs: number
  /** Deadline of a send at the provider; a shorter one of the client applies. */
  readonly sendTimeoutMs: number
  /** Deadline of a command of the store. */
  readonly storeTimeoutMs: number
  /** Deadline of a promise of the host: `phone`, `onVerified`, the session adapter and the like. Beyond it, it counts as thrown. */
  readonly hostTimeoutMs: number
}

/** `auth`: numbers on file. `enrol`: numbers that are not proven yet. */
export type Lane = 'auth' | 'enrol'

/** The limits of one number in one lane. `failuresBeforeDisable` is Infinity where numbers are never disabled. */
export interface LedgerLimits
  extends Pick<
    Limits,
    | 'attemptsPerChallenge'
    | 'failuresBeforeLock'
    | 'lockMs'
    | 'failuresBeforeDisable'
    | 'codeLifetimeMs'
    | 'cooldownMs'
    | 'sendsPerChallenge'
    | 'sendsPerHour'
    | 'sendsPerDay'
    | 'callsPerHour'
    | 'callsPerDay'
    | 'allSendsPerHour'
    | 'allSendsPerDay'
  > {
  /** How long one check holds the number: its timeout and a margin. */
  readonly leaseMs: number
  /** What part of all checks of a number is kept for known browsers; 0 where no browser is known. */
  readonly knownShare: number
}

/** How long a lease outlives the timeout of its check: the way back to the store. */
const leaseMarginMs = 2_000

/** Enough for an owner whose password is known; strangers keep three challenges an hour. */
const knownShare = 0.4

/**
 * The limits of a number, with a share for known browsers where there are any. Enrolment locks a number but
 * never disables it: no account depends on it yet.
 */
export function ledgerLimitsOf(limits: Limits, lane: Lane, browsersAreKnown = false): LedgerLimits {
  const leaseMs = limits.verifyTimeoutMs + leaseMarginMs
  if (lane === 'auth') return { ...limits, leaseMs, knownShare: browsersAreKnown ? knownShare : 0 }
  return {
    ...limits,
    failuresBeforeDisable: Number.POSITIVE_INFINITY,
    sendsPerDay: Math.min(limits.sendsPerDay, limits.enrolSendsPerDay),
    leaseMs,
    knownShare: 0,
  }
}
