import type { Lane } from '../../challenge/limits.js'
import type { Purpose } from '../../challenge/purposes.js'
import { optionError } from '../../lib/options.js'

/** The names under which the provider files codes. It knows no lanes: one name for both would mix their codes. */
export function createAppNames(names: Readonly<Record<string, string>>) {
  const of = (lane: Lane, purpose: string): string => {
    const name = Object.hasOwn(names, purpose) ? names[purpose] : undefined
    const settled = name ?? (lane === 'auth' ? names.login : undefined)
    if (settled !== undefined) return settled
    // The line as it has to stand: a phone verification is often the first thing that needs a second name.
    const given = Object.entries({ ...names, [purpose]: `${names.login} ${purpose}` })
    const line = given.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(', ')
    throw optionError(
      `phoneVerification: set appName.${purpose} to a name not used for sign-in or step-up: appName: { ${line} }`,
    )
  }
  return {
    of,
    /** Throws a TypeError when a phone verification has no name, or shares one with a sign-in or step-up. */
    checkApart(purposes: readonly Purpose[]): void {
      const taken = purposes
        .filter(({ browserStartable }) => browserStartable)
        .map(({ name }) => of('auth', name))
      const mixed = purposes.find(
        ({ name, browserStartable }) => !browserStartable && taken.includes(of('enrol', name)),
      )
      if (mixed === undefined) return
      throw optionError(
        `phoneVerification: appName.${mixed.name} is also used for sign-in or step-up, and the provider would mix their codes; use another name`,
      )
    },
  }
}
