import type { ChallengeRef } from '../../src/challenge/commands.js'
import { createKeys, createSecrets, type DomainServices } from '../../src/challenge/keys.js'
import type { Ledger } from '../../src/challenge/ledger/ledger.js'
import {
  type LedgerLimits,
  type Limits,
  type OptionLimits,
  signInLimitsOf,
} from '../../src/challenge/limits.js'
import type { SignupGuardRules } from '../../src/challenge/rate-limits/signup-guard.js'
import type { ProblemCode } from '../../src/errors.js'
import { createBackground } from '../../src/lib/promises.js'
import { memoryStore } from '../../src/store/memory-store.js'
import { kinds, type Store } from '../../src/store/store.js'

/** The store as it is, without counters of a kind that no store knows: they would fill the room of the ledgers. */
export function strictStore(store: Store): Store {
  return {
    read: (key) => store.read(key),
    swap: (...args) => store.swap(...args),
    increment(key, ...more) {
      const [, , kind = '', holder] = key.split(':')
      if (!Object.hasOwn(kinds, kind) || !holder) throw new Error(`a counter ${key}`)
      return store.increment(key, ...more)
    },
  }
}

/** What parts of the domain stand on that a test opens by themselves. */
export function basisOf(given: Partial<DomainServices>): DomainServices {
  const secrets = createSecrets(['a secret of at least thirty-two bytes'])
  return {
    store: memoryStore(given.now && { now: given.now }),
    keys: createKeys('', given.secrets ?? secrets),
    secrets,
    background: createBackground(),
    now: Date.now,
    emit: () => undefined,
    ...given,
  }
}

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

/** The documented defaults, written out: a changed default must fail here. */
export const optionLimits: OptionLimits = {
  attemptsPerChallenge: 5,
  failuresBeforeLock: 10,
  lockMs: 900_000,
  failuresBeforeDisable: 100,
  codeLifetimeMs: 600_000,
  cooldownMs: [60_000, 120_000, 300_000],
  sendsPerHour: 5,
  sendsPerDay: 10,
  allSendsPerHour: 20,
  allSendsPerDay: 50,
  enrolSendsPerDay: 3,
  numbersPerSessionPerDay: 3,
  sendsPerAddressPer10Min: 200,
  enrolSendsPerAddressPer10Min: 20,
  enrolSendsPerAddressPerDay: 150,
  serviceSendsPerMinute: 600,
  serviceEnrolSendsPerHour: 600,
  serviceEnrolSendsPerDay: 3_000,
}

/** Those, and the deadlines of a provider and a store that set none. */
export const limits: Limits = {
  ...optionLimits,
  verifyTimeoutMs: 8_000,
  sendTimeoutMs: 10_000,
  storeTimeoutMs: 250,
}

/** What bounds the sends of all together is lifted, so that all of them fall into the same day. */
export const unboundedService: Partial<Limits> = {
  serviceSendsPerMinute: 1_000_000,
  serviceEnrolSendsPerHour: 1_000_000,
  serviceEnrolSendsPerDay: 1_000_000,
}

export const signupGuard: SignupGuardRules = {
  mode: 'observe',
  unprovenPerHour: 30,
  unprovenPerDay: 100,
  ratio: 2,
}

/** Of a call without a browser, or of an app where none is known. */
export const ledgerLimits: LedgerLimits = signInLimitsOf(limits, { browsersAreKnown: false })

/** Where browsers are told apart. */
export const browserLimits: LedgerLimits = signInLimitsOf(limits, { browsersAreKnown: true })

/** Whoever acts here was shown the challenge that they act on. */
export const liveShown = ({ challenge }: Ledger): ChallengeRef => ({ challenge: challenge?.id })

/** The most of these moments that fall into any window of this length. */
export function mostWithin(windowMs: number, moments: readonly number[]): number {
  let first = 0
  return moments.reduce((most, at, index) => {
    while ((moments[first] ?? at) <= at - windowMs) first += 1
    return Math.max(most, index - first + 1)
  }, 0)
}

/** What a command answers that does nothing. */
export const refusal = (code: ProblemCode, retryAfterMs?: number) => ({
  outcome: 'refused',
  code,
  ...(retryAfterMs !== undefined && { retryAfterMs }),
})
