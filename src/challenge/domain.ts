import type { Emit } from '../events.js'
import type { Background } from '../lib/promises.js'
import type { Store } from '../store/store.js'
import { createCounters } from './budgets/counters.js'
import { createServiceLimits } from './budgets/service-limits.js'
import { createSignupGuard, type SignupGuardRules } from './budgets/signup-guard.js'
import { createChallenges } from './challenges.js'
import type { CodeProvider } from './code-provider.js'
import { createCodes } from './codes.js'
import { createDispatch } from './dispatch.js'
import { createKeys, createSecrets, type Keys, type Secrets } from './keys.js'
import { createLedgers } from './ledger/ledgers.js'
import type { Lane, Limits } from './limits.js'
import { createNumbers, createSubjects } from './lockouts.js'
import { createDevices } from './proofs/devices.js'
import { createEnrolments } from './proofs/enrolment.js'
import { createGrants } from './proofs/grants.js'
import { createKeptForms } from './proofs/kept-forms.js'
import { createBoundHash } from './proofs/stored-grant.js'
import { createPurposes, type Purpose, type Purposes } from './purposes.js'
import { createRecover, type RecoveryCodeStore } from './recovery.js'
import { createSend } from './send.js'
import { withStoreDeadline } from './store-deadline.js'
import { createTargets } from './targets.js'
import { createVerify } from './verify.js'
import { type BalanceRules, createBalanceWatch } from './watch/balance-watch.js'
import { createDeliveryWatch, type DeliveryRules } from './watch/delivery-watch.js'

export type Domain = ReturnType<typeof openDomain>

/** What is watched for the operator, and by which rules. */
export interface WatchRules {
  readonly signups: SignupGuardRules
  /** Absent: nobody watches the account. */
  readonly balance?: BalanceRules | undefined
  /** Absent: nobody looks at what became of a message. */
  readonly delivery?: DeliveryRules | undefined
}

interface Settings {
  readonly store: Store
  readonly provider: CodeProvider
  readonly namespace: string
  readonly limits: Limits
  /** The name under which the provider files the codes of this lane and purpose. */
  readonly appNameOf: (lane: Lane, purpose: string) => string
  readonly countries: readonly string[] | 'any'
  /** Whether there are authenticator apps. */
  readonly haveApps: boolean
  /** How long after its last success a browser is known; 0 when the feature is off. */
  readonly knownMaxAgeMs: number
  /** How long a trusted device replaces the code; 0 when the feature is off. */
  readonly trustedMaxAgeMs: number
  readonly watch: WatchRules
  /** Absent: there are none. */
  readonly recoveryCodes?: RecoveryCodeStore | undefined
  readonly background: Background
  readonly now: () => number
  readonly emit: Emit
}

/** Opens everything independent of HTTP, on one store and one provider. */
export function openDomain(
  settings: Settings & {
    readonly secret: readonly [string, ...string[]]
    readonly purposes: readonly Purpose[]
    readonly defaultPurpose: (name: string) => Purpose
  },
) {
  const { limits } = settings
  const secrets = createSecrets(settings.secret)
  return assembleDomain({
    ...settings,
    store: withStoreDeadline(settings.store, limits.storeTimeoutMs, settings),
    secrets,
    keys: createKeys(settings.namespace, secrets),
    purposes: createPurposes(settings.purposes, settings.defaultPurpose),
  })
}

/** What `openDomain` opens, on a store, keys and purposes that are ready. */
export function assembleDomain(
  parts: Settings & { readonly secrets: Secrets; readonly keys: Keys; readonly purposes: Purposes },
) {
  const { store, secrets, keys, purposes, limits, watch, now, emit, recoveryCodes } = parts
  // Browsers that are known have a share of their own of what may be tried.
  const shared = { ...parts, browsersAreKnown: parts.knownMaxAgeMs > 0 }
  const openLedger = createLedgers(parts)
  const targets = createTargets({ ...shared, openLedger })
  const codes = createCodes(parts)
  const signups = createSignupGuard(parts, watch.signups)
  const serviceLimits = createServiceLimits(parts)
  const counters = createCounters({ ...parts, signups, service: serviceLimits })
  const funds = watch.balance && createBalanceWatch({ ...parts, codes }, watch.balance)
  const deliveries = watch.delivery && createDeliveryWatch(parts, watch.delivery)
  const grants = createGrants(parts)
  const sending = { ...parts, targets, counters, codes, funds, deliveries }
  const sends = createSend({ ...sending, dispatch: createDispatch(sending) })
  return {
    store,
    keys,
    secrets,
    purposes,
    limits,
    now,
    emit,
    challenges: createChallenges({ ...parts, targets, sends, verify: createVerify(sending) }),
    numbers: createNumbers({ ...shared, openLedger }),
    subjects: createSubjects({ ...parts, sharedLedger: targets.shared, grants }),
    sharedLedger: targets.shared,
    codes,
    signups,
    serviceLimits,
    funds,
    deliveries,
    grants,
    enrolments: createEnrolments({ ...parts, grants }),
    keptForms: createKeptForms(parts),
    devices: createDevices(parts),
    hashBound: createBoundHash(secrets, parts.namespace),
    recover: recoveryCodes && createRecover({ codes: recoveryCodes, emit }),
  }
}
