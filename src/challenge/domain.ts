import { TwoFactorError } from '../errors.js'
import type { Emit } from '../events.js'
import {
  type Awaitable,
  type Background,
  isThenable,
  undoneWhenLate,
  withinDeadline,
} from '../lib/promises.js'
import type { Store } from '../store/store.js'
import { createChallenges } from './challenges.js'
import type { CodeProvider } from './exchange/code-provider.js'
import { createCodes } from './exchange/codes.js'
import { createKeys, createSecrets } from './keys.js'
import type { Limits } from './limits.js'
import { createDeployments } from './operator/deployment.js'
import { createSubjects } from './operator/lockouts.js'
import { createDevices, deviceLifetimeMs } from './proofs/devices.js'
import { createGrants } from './proofs/grants.js'
import { createPhoneVerifications } from './proofs/phone-verifications.js'
import { createSavedForms } from './proofs/saved-forms.js'
import { createBoundHash } from './proofs/stored-grant.js'
import { createPurposes, type Purpose } from './purposes.js'
import { createCounters } from './rate-limits/counters.js'
import { createNumberCounters } from './rate-limits/number-counters.js'
import { createServiceLimits } from './rate-limits/service-limits.js'
import { createSignupGuard, type SignupGuardRules } from './rate-limits/signup-guard.js'
import { createSignupPause } from './rate-limits/signup-pause.js'
import { createAccounts } from './reach/accounts.js'
import { createNoCodeCheck, createRecover, type RecoveryCodeStore } from './recovery.js'
import { createSealedChallenges } from './sealed-challenges.js'
import { storeCause } from './store-cause.js'

export type Domain = ReturnType<typeof openDomain>

/** Opens every part that is independent of HTTP, on one store and one provider. */
export function openDomain(settings: {
  readonly store: Store
  readonly secret: readonly [string, ...string[]]
  readonly provider: CodeProvider
  readonly namespace: string
  readonly limits: Limits
  readonly purposes: readonly Purpose[]
  readonly defaultPurpose: (name: string) => Purpose
  /** The provider's app-name of each purpose. */
  readonly appName: Readonly<Record<string, string>>
  readonly countries: readonly string[] | 'any'
  readonly onUnlisted?: ((country: string | undefined) => void) | undefined
  /** How long a success keeps a browser known, in milliseconds. 0 if the feature is off. */
  readonly knownMaxAgeMs: number
  /** How long a trusted device replaces the code, in milliseconds. 0 if the feature is off. */
  readonly trustedMaxAgeMs: number
  readonly signupGuard: SignupGuardRules
  /** Absent without recovery codes. */
  readonly recoveryCodes?: RecoveryCodeStore | undefined
  readonly background: Background
  readonly now: () => number
  readonly emit: Emit
}) {
  const { namespace, limits, now, emit, recoveryCodes } = settings
  const store = withStoreDeadline(settings.store, limits.storeTimeoutMs, settings)
  const secrets = createSecrets(settings.secret)
  const keys = createKeys(namespace, secrets)
  const purposes = createPurposes(
    settings.purposes,
    settings.defaultPurpose,
    settings.appName,
    settings.provider.tellsCodesApart,
  )
  const sealedChallenges = createSealedChallenges({ secrets, purposes })
  const parts = { ...settings, store, secrets, keys, purposes, sealedChallenges }
  const accounts = createAccounts(parts)
  const codes = createCodes(parts)
  const signups = createSignupGuard(parts, settings.signupGuard)
  const serviceLimits = createServiceLimits(parts)
  const signupPause = createSignupPause({ ...parts, service: serviceLimits })
  const counters = createCounters({ ...parts, signups, service: serviceLimits, pause: signupPause })
  const numberCounters = createNumberCounters(parts)
  const grants = createGrants({ ...parts, deviceLifetimeMs: deviceLifetimeMs(settings) })
  const devices = createDevices({ ...parts, grants })
  const sending = { ...parts, accounts, counters, numberCounters, codes }
  const quiet = withStoreDeadline(settings.store, limits.storeTimeoutMs, { now, emit: () => undefined })
  const deployments = createDeployments({ ...parts, store: quiet })
  return {
    namespace,
    store,
    keys,
    secrets,
    purposes,
    limits,
    now,
    emit,
    challenges: createChallenges(sending),
    subjects: createSubjects({ ...parts, accounts, numberCounters, grants, devices }),
    ledgerOf: accounts.ledgerOf,
    enrolledLedgerOf: accounts.enrolledLedgerOf,
    codes,
    signups,
    signupPause,
    serviceLimits,
    grants,
    phoneVerifications: createPhoneVerifications({ ...parts, grants }),
    savedForms: createSavedForms(parts),
    devices,
    hashBoundFields: createBoundHash(secrets, namespace),
    /** Stores the facts that an operator's command needs. A store that is not ready yet is no failure of a request. */
    saveDeploymentRecord: () => deployments.save(settings),
    restoreDeploymentRecord: () => deployments.restore(settings),
    recover: recoveryCodes && createRecover({ codes: recoveryCodes, emit }),
    hasNoRecoveryCode: createNoCodeCheck(recoveryCodes),
  }
}

/**
 * Adds a deadline to each command of a store that has none. A failed or late command rejects with `store_unavailable`.
 * A synchronous value stays one, because the guard then needs no promise.
 */
export function withStoreDeadline(
  store: Store,
  timeoutMs: number,
  { now, emit }: { readonly now: () => number; readonly emit: Emit },
): Store {
  const keepsIt = store.timeoutMs !== undefined && store.timeoutMs <= timeoutMs
  const failed = (command: string, cause: unknown, durationMs: number): TwoFactorError => {
    emit({ type: 'store.failed', command, durationMs, cause: storeCause(cause) })
    return cause instanceof TwoFactorError
      ? cause
      : new TwoFactorError('store_unavailable', { message: 'The store did not respond.', cause })
  }
  async function bounded<T>(command: string, native: Promise<T>): Promise<T> {
    const startedAt = now()
    try {
      return await (keepsIt ? native : withinDeadline(timeoutMs, () => native))
    } catch (cause) {
      throw failed(command, cause, Math.max(0, now() - startedAt))
    }
  }
  const run = <T>(command: string, ask: () => Awaitable<T>, undo?: () => unknown): Awaitable<T> => {
    try {
      const result = ask()
      if (!isThenable(result)) return result
      // Store clients may return foreign thenables. Beyond this point there are native promises only.
      const native = Promise.resolve(result)
      const inTime = bounded(command, native)
      return undo ? undoneWhenLate(inTime, native, undo) : inTime
    } catch (cause) {
      // A rejection rather than an exception, so that commands started together stay awaited.
      return Promise.reject(failed(command, cause, 0))
    }
  }
  return {
    read: (key) => run('read', () => store.read(key)),
    swap: (key, version, next, ttlMs) => run('swap', () => store.swap(key, version, next, ttlMs)),
    increment: (key, windowMs, by = 1) =>
      run(
        'increment',
        () => store.increment(key, windowMs, by),
        // The caller saw a failure and did nothing, so undo the count. A refund that arrives late stays.
        by > 0 ? () => store.increment(key, windowMs, -by) : undefined,
      ),
    close: () => store.close?.(),
    ...(store.inspect && { inspect: store.inspect.bind(store) }),
  }
}
