import type { BoundFields, Details, TrustedDevice } from '../index.js'
import type { StoredPasskey } from '../passkeys/index.js'
import { maxNumbersOnFile } from '../phone-number.js'
import type { AccountTexts } from './texts/en.js'
import { fillText, spacedDigits } from './texts.js'

// Rules of the changes: which are allowed, which fields a code binds, and which details the person sees.

/** The stored factors and recovery codes of an account. */
export interface Factors {
  /** Phone numbers in E.164, the preferred number first. */
  readonly numbers: readonly string[]
  /** If true, an authenticator app is stored. Undefined without the option `authenticator`. */
  readonly app?: boolean | undefined
  /** Stored passkeys. Undefined without the option `passkeys`. */
  readonly passkeys?: readonly NamedPasskey[] | undefined
  /** Number of unused recovery codes. Undefined without the option `recoveryCodes`. */
  readonly recoveryCodes?: number | undefined
}

/** A stored passkey with its name. */
export type NamedPasskey = Pick<StoredPasskey, 'id' | 'label'>

/** A change that a person requests. */
export type AccountChangeRequest =
  | { readonly kind: 'number-added' | 'number-first' | 'number-removed'; readonly number: string }
  | { readonly kind: 'device-ended'; readonly device: Pick<TrustedDevice, 'id' | 'label'> }
  | { readonly kind: 'passkey-renamed'; readonly passkey: NamedPasskey; readonly name: string }
  | { readonly kind: 'passkey-removed'; readonly passkey: NamedPasskey }
  | { readonly kind: 'app-added' | 'app-removed' | 'recovery-codes-made' | 'passkey-added' }
  | { readonly kind: 'devices-ended' | 'signed-out-elsewhere' }

/** Name of a change in messages and in JSON. */
export type ChangeKind = AccountChangeRequest['kind']

/**
 * Factors that must remain after a factor is removed. `factor`: another number, a passkey or the app.
 * `recovery-codes`: a factor or recovery codes. `nothing`: no requirement, for guards that exempt accounts without a second factor.
 */
export type MustKeep = 'factor' | 'recovery-codes' | 'nothing'

/** Reason why a change is refused. */
export type Objection =
  /** Recovery codes need another factor first. */
  | 'no_factor'
  /** No factor and no recovery codes would remain. */
  | 'last_factor'
  /** Only recovery codes would remain. */
  | 'only_recovery_codes'
  /** `twoFactor()` takes no further number. */
  | 'too_many'
  /** The number is on the list already. */
  | 'on_file'
  /** The number belongs to another account of your app. */
  | 'taken'
  /** An app is stored, and no other app is being set up. */
  | 'app_on_file'
  /** The account can have no further passkey. */
  | 'too_many_passkeys'
  /** The browser created no passkey that this account can have. */
  | 'no_passkey'
  /** The account does not have the passkey any more. */
  | 'passkey_gone'
  /** The stored factors have changed since the change was requested. */
  | 'stale'

/** Counts the factors: numbers, passkeys and the app. Recovery codes do not count, because they run out. */
export const countFactors = ({ numbers, app, passkeys = [] }: Factors): number =>
  new Set(numbers).size + passkeys.length + (app ? 1 : 0)

/**
 * Returns whether the account has nothing that could confirm a change. The session then suffices to set up the first
 * factor.
 */
export function hasNoFactor(factors: Factors, mustKeep: MustKeep): boolean {
  // With `nothing`, a person who removed the last factor has switched the second factor off.
  return countFactors(factors) === 0 && (mustKeep === 'nothing' || !factors.recoveryCodes)
}

/** Returns whether the list has room for another number. */
export const takesNumber = (numbers: readonly unknown[]): boolean => numbers.length < maxNumbersOnFile

/** The browser gets the ids of all passkeys at each sign-in. */
const maxPasskeys = 10

/** Returns whether the account may have another passkey. */
export const takesPasskey = (passkeys: readonly unknown[] = []): boolean => passkeys.length < maxPasskeys

/** Returns the factors after a change. */
export function factorsAfter(change: AccountChangeRequest, factors: Factors): Factors {
  const { kind } = change
  if (kind === 'app-added' || kind === 'app-removed') return { ...factors, app: kind === 'app-added' }
  const { passkeys = [] } = factors
  if (kind === 'passkey-added') return { ...factors, passkeys: [...passkeys, { id: '', label: '' }] }
  if (kind === 'passkey-removed') {
    return { ...factors, passkeys: passkeys.filter(({ id }) => id !== change.passkey.id) }
  }
  if (!('number' in change)) return factors
  const { number } = change
  const others = factors.numbers.filter((one) => one !== number)
  if (kind === 'number-added') return { ...factors, numbers: [...others, number] }
  return { ...factors, numbers: kind === 'number-first' ? [number, ...others] : others }
}

/** Returns why a change is refused, or undefined if it is allowed. */
export function objectionTo(
  change: AccountChangeRequest,
  factors: Factors,
  mustKeep: MustKeep,
): Objection | undefined {
  const { numbers } = factors
  if (change.kind === 'number-added') {
    if (numbers.includes(change.number)) return 'on_file'
    return takesNumber(numbers) ? undefined : 'too_many'
  }
  if (change.kind === 'passkey-added' && !takesPasskey(factors.passkeys)) return 'too_many_passkeys'
  // Lock-out: every change asks a person with only recovery codes for a code, and such a person can receive none.
  if (change.kind === 'recovery-codes-made' && countFactors(factors) === 0) return 'no_factor'
  if ('number' in change && !numbers.includes(change.number)) return 'stale'
  if (change.kind === 'app-removed' && !factors.app) return 'stale'
  if ('passkey' in change && !factors.passkeys?.some(({ id }) => id === change.passkey.id))
    return 'passkey_gone'
  return takesAway(change) ? objectionToLoss(factors, mustKeep) : undefined
}

/**
 * Returns why no factor may be removed, or undefined. The rule is equal for each number and the app. Lock-out: a person
 * must not lose the last factor by accident or through an intruder in the session.
 */
export function objectionToLoss(factors: Factors, mustKeep: MustKeep): Objection | undefined {
  if (countFactors(factors) > 1 || mustKeep === 'nothing') return undefined
  if (!factors.recoveryCodes) return 'last_factor'
  return mustKeep === 'factor' ? 'only_recovery_codes' : undefined
}

/** Returns whether a change removes a factor. */
const takesAway = ({ kind }: AccountChangeRequest) =>
  ['number-removed', 'app-removed', 'passkey-removed'].includes(kind)

/** Returns whether a change ends the trust in browsers. Verifications by a removed factor no longer count. */
export const endsTrust = (change: AccountChangeRequest, before: Factors): boolean =>
  takesAway(change) ||
  change.kind === 'signed-out-elsewhere' ||
  (change.kind === 'app-added' && before.app === true)

/**
 * Returns the fields that a code for this change confirms: the change and the current factors. Recovery codes are left
 * out, because confirming with a recovery code uses it up. The store step checks again that enough factors remain.
 */
export function boundTo(
  change: AccountChangeRequest,
  { numbers, app = false, passkeys }: Factors,
): BoundFields {
  // Quoted, because a person may choose a text that bound fields refuse, such as "undefined".
  const device = 'device' in change ? [change.device.id, JSON.stringify(change.device.label ?? '')] : null
  const number = 'number' in change ? change.number : null
  const name = JSON.stringify('name' in change ? change.name : '')
  const passkey = 'passkey' in change ? [change.passkey.id, name] : null
  const ofPasskeys = passkeys && { passkey, passkeys: passkeys.map(({ id }) => id) }
  return { kind: change.kind, number, device, numbers, app, ...ofPasskeys }
}

/** Input of the details: the current factors and what must remain. */
export interface Circumstances {
  readonly factors: Factors
  readonly mustKeep: MustKeep
  readonly texts: AccountTexts
  /** A new number in its usual spelling. It is shown in full, because it may be mistyped. */
  readonly shownNumber?: string | undefined
}

/** Returns the details that the person reads before entering the code. */
export function detailsOf(change: AccountChangeRequest, circumstances: Circumstances): Details {
  const { texts, factors, shownNumber } = circumstances
  const number = 'number' in change ? change.number : ''
  const title = fillText(texts[`change.${change.kind}`], {
    number: shownNumber ?? number,
    digits: spacedDigits(number),
    device: 'passkey' in change ? change.passkey.label : '',
  })
  const after = [texts['details.after'], consequenceOf(change, circumstances)] as const
  const device = 'device' in change && ([texts['details.device'], labelOf(change, texts)] as const)
  const action = makesFirstCodes(change, factors) ? texts['recovery.make'] : texts[`do.${change.kind}`]
  const name = 'name' in change && ([texts['passkeys.name'], change.name] as const)
  return { title, rows: [device, name, after].filter((row) => row !== false), action }
}

const makesFirstCodes = ({ kind }: AccountChangeRequest, { recoveryCodes }: Factors): boolean =>
  kind === 'recovery-codes-made' && !recoveryCodes

const labelOf = (
  { device }: Extract<AccountChangeRequest, { kind: 'device-ended' }>,
  texts: AccountTexts,
): string => device.label ?? texts['device.unnamed']

/** Describes the state after the change. For a last factor, describes the loss. */
function consequenceOf(change: AccountChangeRequest, { factors, mustKeep, texts }: Circumstances): string {
  const after = factorsAfter(change, factors)
  if (takesAway(change) && countFactors(after) === 0) {
    return texts[mustKeep === 'nothing' ? 'after.nothing' : 'after.only-recovery-codes']
  }
  if (change.kind === 'app-added' && factors.app) return texts['after.app-replaced']
  if (makesFirstCodes(change, factors)) return texts['recovery.text']
  return fillText(texts[`after.${change.kind}`], { n: String(countFactors(after)) })
}
