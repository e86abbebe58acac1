import type { BoundFields, Details, TrustedDevice } from '../index.js'
import type { AccountTexts } from './texts/en.js'
import { fill, spacedDigits } from './texts.js'

// What may be changed, whether it may, what a code for it is bound to, and what a person is shown of it.

/** What an account can confirm with, as it is on file. */
export interface Factors {
  /** In E.164, the preferred one first. */
  readonly numbers: readonly string[]
  /** Undefined where the app has none. */
  readonly app?: boolean | undefined
  /** How many are left; undefined where the app has none. */
  readonly recoveryCodes?: number | undefined
}

/** What is to be changed. */
export type AccountChangeRequest =
  | { readonly kind: 'number-added' | 'number-first' | 'number-removed'; readonly number: string }
  | { readonly kind: 'device-ended'; readonly device: Pick<TrustedDevice, 'id' | 'label'> }
  | { readonly kind: 'app-added' | 'app-removed' | 'recovery-codes-made' }
  | { readonly kind: 'devices-ended' | 'signed-out-elsewhere' }

/** How a change is called, in messages and in JSON. */
export type ChangeKind = AccountChangeRequest['kind']

/**
 * What has to be left when a number or the app is removed: another one of them; that or recovery codes; or nothing,
 * where guards let accounts pass that have no second factor.
 */
export type MustKeep = 'factor' | 'recovery-codes' | 'nothing'

/** Why something is not done. */
export type Objection =
  /** Recovery codes, before there is a number or an app. */
  | 'no_factor'
  /** Nothing would be left. */
  | 'last_factor'
  /** Nothing but recovery codes would be left. */
  | 'only_recovery_codes'
  /** One number more than `twoFactor()` takes. */
  | 'too_many'
  /** The number is on the list already. */
  | 'on_file'
  /** The host has the number at another account. */
  | 'taken'
  /** An app is there, and no other one is being set up. */
  | 'app_on_file'
  /** Something else is on file than what the change was made from. */
  | 'stale'

/** As many as the option `phone` of `twoFactor()` takes. */
const maxNumbers = 5

/** By how many factors a code can be got: numbers and the app. Recovery codes are none, they run out. */
export const countFactors = ({ numbers, app }: Factors): number => new Set(numbers).size + (app ? 1 : 0)

/** Whether nothing is on file that could confirm a change: the first way is set up with the session alone. */
export function hasNoFactor(factors: Factors, mustKeep: MustKeep): boolean {
  // Where nothing has to be left, whoever has removed the last way has switched all of it off.
  return countFactors(factors) === 0 && (mustKeep === 'nothing' || !factors.recoveryCodes)
}

/** Whether the list takes one more number. */
export const takesNumber = (numbers: readonly unknown[]): boolean => numbers.length < maxNumbers

/** The factors as they are afterwards. */
export function factorsAfter(change: AccountChangeRequest, factors: Factors): Factors {
  const { kind } = change
  if (kind === 'app-added' || kind === 'app-removed') return { ...factors, app: kind === 'app-added' }
  if (!('number' in change)) return factors
  const { number } = change
  const others = factors.numbers.filter((one) => one !== number)
  if (kind === 'number-added') return { ...factors, numbers: [...others, number] }
  return { ...factors, numbers: kind === 'number-first' ? [number, ...others] : others }
}

/** Why a change may not be made; undefined where it may. */
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
  // Lock-out: a person with nothing but recovery codes is asked for a code by every change, and can get none.
  if (change.kind === 'recovery-codes-made' && countFactors(factors) === 0) return 'no_factor'
  if ('number' in change && !numbers.includes(change.number)) return 'stale'
  if (change.kind === 'app-removed' && !factors.app) return 'stale'
  return takesAway(change) ? objectionToLoss(factors, mustKeep) : undefined
}

/** Lock-out: nobody takes the last way of a person, by accident or in their session. The same for each number and the app. */
export function objectionToLoss(factors: Factors, mustKeep: MustKeep): Objection | undefined {
  if (countFactors(factors) > 1 || mustKeep === 'nothing') return undefined
  if (!factors.recoveryCodes) return 'last_factor'
  return mustKeep === 'factor' ? 'only_recovery_codes' : undefined
}

/** Whether there is one way less afterwards. */
const takesAway = ({ kind }: AccountChangeRequest) => kind === 'number-removed' || kind === 'app-removed'

/** Whether trust in browsers ends with it: what had been proven by a way that went is proven no more. */
export const endsTrust = (change: AccountChangeRequest, before: Factors): boolean =>
  takesAway(change) ||
  change.kind === 'signed-out-elsewhere' ||
  (change.kind === 'app-added' && before.app === true)

/**
 * What a code for this change is good for: this change of these factors, and no other. Not of these recovery codes: the one
 * that confirms it is used up by that. Whether enough is left is judged once more when it is made.
 */
export function boundTo(change: AccountChangeRequest, { numbers, app = false }: Factors): BoundFields {
  const device = 'device' in change ? [change.device.id, change.device.label ?? ''] : null
  const number = 'number' in change ? change.number : null
  return { kind: change.kind, number, device, numbers, app }
}

/** What a change is made from, and what has to be left. */
export interface Circumstances {
  readonly factors: Factors
  readonly mustKeep: MustKeep
  readonly texts: AccountTexts
  /** A new number as people write it: the whole of it, since it may be mistyped. */
  readonly shownNumber?: string | undefined
}

/** What the person reads before the code is typed. */
export function detailsOf(change: AccountChangeRequest, circumstances: Circumstances): Details {
  const { texts, factors, shownNumber } = circumstances
  const number = 'number' in change ? change.number : ''
  const title = fill(texts[`change.${change.kind}`], {
    number: shownNumber ?? number,
    digits: spacedDigits(number),
  })
  const after = [texts['details.after'], consequenceOf(change, circumstances)] as const
  const device = 'device' in change && ([texts['details.device'], labelOf(change, texts)] as const)
  const isFirst = change.kind === 'recovery-codes-made' && !factors.recoveryCodes
  const action = isFirst ? texts['recovery.make'] : texts[`do.${change.kind}`]
  return { title, rows: device ? [device, after] : [after], action }
}

const labelOf = (
  { device }: Extract<AccountChangeRequest, { kind: 'device-ended' }>,
  texts: AccountTexts,
): string => device.label ?? texts['device.unnamed']

/** What is so afterwards; of a last way what its loss means. */
function consequenceOf(change: AccountChangeRequest, { factors, mustKeep, texts }: Circumstances): string {
  const after = factorsAfter(change, factors)
  if (takesAway(change) && countFactors(after) === 0) {
    return texts[mustKeep === 'nothing' ? 'after.nothing' : 'after.only-recovery-codes']
  }
  if (change.kind === 'app-added' && factors.app) return texts['after.app-replaced']
  return fill(texts[`after.${change.kind}`], { n: String(countFactors(after)) })
}
