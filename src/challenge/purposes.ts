import { didYouMean, optionError } from '../lib/options.js'
import { type Channel, kindOf } from './exchange/code-provider.js'

// Purposes: their policies, and the app-names of their codes.

/** Purpose of a request that names none. */
export const firstPurpose = 'login'

/** Policy of one purpose, from the options. */
export interface Purpose {
  readonly name: string
  /** Maximum age of a grant in milliseconds, unless a guard sets another. */
  readonly maxAgeMs: number
  /** If true, each grant admits one request. */
  readonly once: boolean
  readonly channels: readonly Channel[]
  /** If true, a trusted browser replaces the code. */
  readonly trustedDevice: boolean
  /**
   * When a recovery code replaces the code. `sign-in`: only if the guard requires no more than a sign-in. Default:
   * never.
   */
  readonly recoveryCode?: 'always' | 'sign-in' | undefined
  /** False for a phone verification, which a browser cannot start on the plain routes. */
  readonly browserStartable: boolean
}

export type Purposes = ReturnType<typeof createPurposes>

/**
 * The purposes of one app: those of the options, and those that guards and phone verifications bring along; with the
 * names under which the provider files their codes. It knows no lanes: one name for both would mix their codes.
 */
export function createPurposes(
  initial: readonly Purpose[],
  usual: (name: string) => Purpose,
  appNames: Readonly<Record<string, string>>,
  /** True if the provider accepts a code only for the challenge that it was sent for. */
  tellsCodesApart = false,
) {
  const known = new Map(initial.map((purpose) => [purpose.name, purpose]))
  const maxAccepted = new Map<string, number>()
  const bindings = { bound: new Set<string>(), unbound: new Set<string>() }
  const areDeclared = initial.some(({ name }) => name !== firstPurpose)

  /** Returns the provider's app-name for the codes of this purpose. */
  function appNameOf(purpose: string): string {
    const isEnrolment = known.get(purpose)?.browserStartable === false
    const name = Object.hasOwn(appNames, purpose) ? appNames[purpose] : undefined
    const settled = name ?? (isEnrolment ? undefined : appNames.login)
    if (settled !== undefined) return settled
    throw optionError(
      `phoneVerification: set appName.${purpose} to a name not used for sign-in or step-up: ${lineWith(purpose)}`,
    )
  }

  /** Returns the line to paste. A phone verification is often the first purpose that needs a second name. */
  function lineWith(purpose: string): string {
    const given = Object.entries({ ...appNames, [purpose]: `${appNames.login} ${purpose}` })
    const names = given.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    return `appName: { ${names.join(', ')} }`
  }

  /** The provider knows a code by number and app-name alone: a texted code would pass where only a call is accepted. */
  function refuseMixedChannels(): void {
    if (tellsCodesApart) return
    for (const purpose of known.values()) {
      for (const other of known.values()) {
        const left = leftOut(purpose, other)
        if (left === undefined || appNameOf(purpose.name) !== appNameOf(other.name)) continue
        const named = purpose.name === firstPurpose ? other.name : purpose.name
        throw optionError(
          `twoFactor: purpose "${purpose.name}" excludes the channel "${left}", but "${other.name}" allows it under the same appName, so their codes are interchangeable; give "${named}" an appName of its own: ${lineWith(named)}`,
        )
      }
    }
  }

  /**
   * The provider knows a code by number and app-name alone: a code for a sign-in, whose message names no amount, would
   * confirm a payment.
   */
  function refuseMixedBinding(): void {
    if (tellsCodesApart) return
    for (const name of bindings.bound) {
      if (bindings.unbound.has(name)) {
        throw optionError(
          `requireTwoFactor: purpose "${name}" has a guard with bind and one without, and the provider cannot tell their codes apart; use another purpose for one of them, or a provider with tellsCodesApart`,
        )
      }
      const other = [...known.keys()].find((one) => one !== name && appNameOf(one) === appNameOf(name))
      if (other !== undefined) {
        throw optionError(
          `requireTwoFactor: purpose "${name}" binds fields, but the provider would also accept a code for "${other}"; give "${name}" an appName of its own: ${lineWith(name)}`,
        )
      }
    }
  }

  /**
   * Adds a purpose. Throws a TypeError if a phone verification has no name or shares one with a sign-in or step-up, or
   * if codes of two purposes use different channels under one name.
   */
  function declare(purpose: Purpose): Purpose {
    known.set(purpose.name, purpose)
    const all = [...known.values()]
    const taken = all.flatMap(({ name, browserStartable }) => (browserStartable ? [appNameOf(name)] : []))
    const mixed = all.find(
      ({ name, browserStartable }) => !browserStartable && taken.includes(appNameOf(name)),
    )
    if (mixed !== undefined) {
      throw optionError(
        `phoneVerification: appName.${mixed.name} is also used for sign-in or step-up, and the provider would mix their codes; use another name`,
      )
    }
    refuseMixedChannels()
    refuseMixedBinding()
    return purpose
  }

  refuseMixedChannels()

  return {
    appNameOf,
    tellsCodesApart,
    find: (name: string) => known.get(name),
    /**
     * Returns the purpose of a guard, and adds a new one. Throws a TypeError if the options declare purposes besides
     * `login` but not this one, because it is misspelt.
     */
    forGuard(name: string): Purpose {
      const found = known.get(name)
      if (found !== undefined) return found
      // A browser that requests the declared purpose would receive a grant that this guard never accepts.
      if (areDeclared && name !== firstPurpose) throw undeclared('requireTwoFactor', name, initial)
      return declare(usual(name))
    },
    /** Throws a TypeError for a fixed purpose that nothing declares, because each request would be refused. */
    checkStart(name: string): void {
      if (name !== firstPurpose && !known.has(name)) throw undeclared('start', name, [...known.values()])
    },
    /** Returns a purpose of this package, and adds it if the options do not name it. */
    ofPackage: (name: string) => known.get(name) ?? declare(usual(name)),
    /**
     * Records that codes of a purpose confirm bound fields, or that they do not. Throws a TypeError with the line to paste
     * if the provider would accept the code of another request in their place.
     */
    bind(name: string, isBound: boolean): void {
      const set = isBound ? bindings.bound : bindings.unbound
      if (set.has(name)) return
      set.add(name)
      try {
        refuseMixedBinding()
      } catch (error) {
        set.delete(name)
        throw error
      }
    },
    /** Records the maximum age that a guard accepts, so that grants are kept long enough. */
    accept(name: string, maxAgeMs: number): void {
      maxAccepted.set(name, Math.max(maxAgeMs, maxAccepted.get(name) ?? 0))
    },
    /** Returns how long a grant for this purpose is valid. 0 for an unknown purpose. */
    grantLifetimeMs: (name: string) => Math.max(known.get(name)?.maxAgeMs ?? 0, maxAccepted.get(name) ?? 0),
    /** Returns the purpose of a phone verification. Throws a TypeError if a sign-in or a guard uses it. */
    forEnrolment(name: string): Purpose {
      if (name === firstPurpose || maxAccepted.has(name)) {
        throw optionError(
          `phoneVerification: purpose "${name}" belongs to sign-in or a step-up; use another name`,
        )
      }
      const purpose = known.get(name) ?? usual(name)
      return declare({ ...purpose, channels: sentFor(purpose), browserStartable: false })
    },
  }
}

/** Returns the channels by which codes of this purpose are sent. */
function sentFor({ channels }: Purpose): readonly Channel[] {
  return channels.filter((channel) => kindOf(channel) === 'code')
}

/** Returns a channel that the other purpose uses and this one does not. */
function leftOut(purpose: Purpose, other: Purpose): Channel | undefined {
  const own = sentFor(purpose)
  return own.length === 0 ? undefined : sentFor(other).find((channel) => !own.includes(channel))
}

function undeclared(by: 'requireTwoFactor' | 'start', name: string, declared: readonly Purpose[]): TypeError {
  const names = declared.map((purpose) => purpose.name)
  const fix = didYouMean(name, names, `add ${JSON.stringify(name)}: {} to it`)
  return optionError(`${by}: purpose "${name}" is missing from the option purposes; ${fix}`)
}

/** Requirements of one request: purpose, bound fields and accepted factors. */
export interface ProofRequirement {
  readonly purpose: string
  /** Hash of the bound fields. If absent, none are bound, and a grant for bound fields does not count. */
  readonly bound?: string | undefined
  /** True for a step-up: a trusted browser is not enough. */
  readonly requireCode?: boolean | undefined
  /** True if a recovery code is enough. */
  readonly recoveryCode?: boolean | undefined
  /** Accepted kinds of factors. Default: any. */
  readonly methods?: readonly string[] | undefined
}

/** Returns the channels whose codes are accepted. */
export function acceptedChannels(
  channels: readonly Channel[],
  requirement: Pick<ProofRequirement, 'methods'> | undefined,
): readonly Channel[] {
  return channels.filter((channel) => requirement?.methods?.includes(kindOf(channel)) ?? true)
}

/** Returns whether a recovery code is accepted: by the guard's requirement, or by the purpose. */
export function takesRecoveryCode(
  purpose: Pick<Purpose, 'recoveryCode'> | undefined,
  requirement: Pick<ProofRequirement, 'recoveryCode'> | undefined,
): boolean {
  return requirement?.recoveryCode ?? purpose?.recoveryCode !== undefined
}
