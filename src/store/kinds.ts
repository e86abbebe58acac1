type Lane = 'auth' | 'enrol'

interface KindOfEntry {
  /** Whose flood fills it. No kind that grows with requests is written by both lanes: sign-ups take no room from sign-ins. */
  readonly lane: Lane
  /** Never evicted while it is live: a guess budget or a proof depends on it. The others may be. */
  readonly lasting: boolean
  /** The option of the memory store that bounds how many are kept. */
  readonly capacity: 'maxLedgers' | 'maxGrants' | 'maxCounters'
  /** Bounds it further where entries are large. */
  readonly maxEntries?: number
}

const ledgers = (lane: Lane) => ({ lane, lasting: true, capacity: 'maxLedgers' }) as const
const lasting = (lane: Lane) => ({ lane, lasting: true, capacity: 'maxGrants' }) as const
const counters = (lane: Lane) => ({ lane, lasting: false, capacity: 'maxCounters' }) as const

/** Every kind of entry, as the third part of its key names it: `tf2:<namespace>:<kind>:<tag>`. */
export const kinds = {
  auth: ledgers('auth'),
  enrol: ledgers('enrol'),
  enrolment: ledgers('enrol'),
  grants: lasting('auth'),
  // Up to 20 kB each. A form that finds no room is typed again.
  forms: { ...lasting('auth'), maxEntries: 1_000 },
  devices: lasting('auth'),
  'auth-tally': lasting('auth'),
  'enrol-tally': lasting('enrol'),
  'known-tally': lasting('auth'),
  'count-auth-address-sends': counters('auth'),
  'count-auth-address-verifications': counters('auth'),
  'count-auth-share-sends': counters('auth'),
  'count-auth-share-verifications': counters('auth'),
  'count-auth-session-sends': counters('auth'),
  'count-auth-subject-sends': counters('auth'),
  'count-auth-service-sends': counters('auth'),
  'count-auth-service-told': counters('auth'),
  'count-auth-forms': counters('auth'),
  'count-auth-address-forms': counters('auth'),
  'count-enrol-address-sends': counters('enrol'),
  'count-enrol-address-verifications': counters('enrol'),
  'count-enrol-address-unproven': counters('enrol'),
  'count-enrol-share-sends': counters('enrol'),
  'count-enrol-share-verifications': counters('enrol'),
  'count-enrol-session-sends': counters('enrol'),
  'count-enrol-subject-sends': counters('enrol'),
  'count-enrol-service-sends': counters('enrol'),
  'count-enrol-service-told': counters('enrol'),
  'count-enrol-numbers': counters('enrol'),
  'count-enrol-tried': counters('enrol'),
  'count-country-sent': counters('enrol'),
  'count-country-approved': counters('enrol'),
  'count-country-told': counters('enrol'),
  balance: lasting('auth'),
  'count-delivery': counters('auth'),
  'count-balance-sends': counters('auth'),
  'count-balance-leases': counters('auth'),
  'count-balance-probes': counters('auth'),
  'count-auth-self-test': counters('auth'),
} as const satisfies Readonly<Record<string, KindOfEntry>>

export type Kind = keyof typeof kinds

/** An unknown kind is lasting: refusing new entries is safer than evicting live ones. */
export function kindOf(name: string): KindOfEntry {
  return Object.hasOwn(kinds, name) ? kinds[name as Kind] : ledgers('auth')
}
