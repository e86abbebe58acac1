import { type ChallengeParts, createChallenges } from './challenges.js'
import { createKeys } from './keys.js'
import { createBoundHash } from './proofs/bound.js'
import { createDevices } from './proofs/devices.js'
import { createEnrolments } from './proofs/enrolment.js'
import { createGrants } from './proofs/grants.js'
import { createKeptForms } from './proofs/kept-forms.js'
import { createPurposes, type Purpose } from './purposes.js'
import { createRecover, type RecoveryCodeStore } from './recovery.js'
import { createSecrets } from './secrets.js'
import { withStoreDeadline } from './store-deadline.js'
import { createSubjects } from './subjects.js'

export type Domain = ReturnType<typeof openDomain>

/** Assembles everything independent of HTTP, on one store and one provider. */
export function openDomain(
  parts: Omit<ChallengeParts, 'secrets' | 'keys' | 'purposes' | 'browsersAreKnown'> & {
    readonly secret: readonly [string, ...string[]]
    readonly namespace: string
    readonly purposes: readonly Purpose[]
    readonly defaultPurpose: (name: string) => Purpose
    /** How long after its last success a browser is known; 0 when the feature is off. */
    readonly knownMaxAgeMs: number
    /** How long a trusted device replaces the code; 0 when the feature is off. */
    readonly trustedMaxAgeMs: number
    /** Absent: there are none. */
    readonly recoveryCodes?: RecoveryCodeStore | undefined
  },
) {
  const { limits, now, emit } = parts
  const store = withStoreDeadline(parts.store, limits.storeTimeoutMs, { now, emit })
  const secrets = createSecrets(parts.secret)
  const keys = createKeys(parts.namespace, secrets)
  const purposes = createPurposes(parts.purposes, parts.defaultPurpose)
  const shared = { store, keys, secrets, purposes, limits, now, emit }
  const { numbers, sharedLedger, signups, serviceLimits, funds, deliveries, codes, ...challenges } =
    createChallenges({
      ...parts,
      ...shared,
      browsersAreKnown: parts.knownMaxAgeMs > 0,
    })
  const grants = createGrants(shared)
  return {
    ...shared,
    numbers,
    sharedLedger,
    subjects: createSubjects({ ...shared, sharedLedger, grants }),
    signups,
    serviceLimits,
    funds,
    deliveries,
    codes,
    challenges,
    hashBound: createBoundHash(secrets, parts.namespace),
    grants,
    enrolments: createEnrolments({ ...shared, grants }),
    keptForms: createKeptForms(shared),
    devices: createDevices({ ...parts, ...shared }),
    recover: parts.recoveryCodes && createRecover({ codes: parts.recoveryCodes, emit }),
  }
}
