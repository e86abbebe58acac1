import type { Lane } from '../challenge/ledger.js'

/** The names under which the provider files codes. It knows no lanes: one name for both would mix their codes. */
export interface AppNames {
  of(lane: Lane, purpose: string): string
  /** Throws a TypeError when a purpose of this lane would share its name with one of the other lane. */
  claim(lane: Lane, purpose: string): void
}

export function createAppNames(names: Readonly<Record<string, string>>): AppNames {
  const claimed: Record<Lane, Set<string>> = { auth: new Set(), enrol: new Set() }
  const of = (lane: Lane, purpose: string): string => {
    const name = Object.hasOwn(names, purpose) ? names[purpose] : undefined
    const settled = name ?? (lane === 'auth' ? names.login : undefined)
    if (settled !== undefined) return settled
    throw new TypeError(`appName must name an app for ${purpose}, other than those of sign-in and step-up`)
  }
  return {
    of,
    claim(lane, purpose) {
      const name = of(lane, purpose)
      const other = lane === 'auth' ? 'enrol' : 'auth'
      if (claimed[other].has(name)) {
        throw new TypeError(
          `appName.${purpose} is used by a phone verification and by sign-in or step-up: the provider would mix their codes; give each a name of its own`,
        )
      }
      claimed[lane].add(name)
    },
  }
}
