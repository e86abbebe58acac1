import { isDate } from 'node:util/types'
import { hostFunction } from '../lib/host-function.js'
import { type Check, that } from '../lib/options.js'
import { isE164 } from '../phone-number.js'
import type { Factors } from './changes.js'
import type { AccountPagesOptions } from './options.js'

const isTime = (said: unknown) =>
  (isDate(said) || typeof said === 'number') && Number.isFinite(new Date(said).valueOf())

/** One spelling only, so that a number cannot be stored twice. */
const numberList: Check = that(
  'must return a list of numbers in E.164, such as +573001234567',
  (said) => Array.isArray(said) && said.every((one) => typeof one === 'string' && isE164(one)),
)
const yesOrNo: Check = that('must return true or false', (said) => typeof said === 'boolean')
const remainingCount: Check = that(
  'must return the number of unused codes',
  (said) => Number.isSafeInteger(said) && Number(said) >= 0,
)
const times: Check = that(
  "must return an object with a time for each number or 'app': a Date or milliseconds since 1970",
  (said) => Object.values(Object(said)).every((at) => isTime(at ?? 0)),
)

/**
 * Reads the stored factors of an account. Rejects with a TypeError if a value is unclear: an account that appears to
 * have no factor needs no code.
 */
export function createReadFactors({ numbers, authenticator, passkeys, recoveryCodes }: AccountPagesOptions) {
  return hostFunction(async (subject: string): Promise<Factors> => {
    const [list, app, keys, left] = await Promise.all([
      numbers.list(subject),
      authenticator?.has(subject),
      passkeys?.list(subject),
      recoveryCodes?.remaining(subject),
    ])
    numberList(list, 'accountPages: numbers.list')
    if (authenticator !== undefined) yesOrNo(app, 'accountPages: authenticator.has')
    if (recoveryCodes !== undefined) remainingCount(left, 'accountPages: recoveryCodes.remaining')
    // Copies the list: a host that changes its list in place would also change the state before.
    const named = keys?.map(({ id, label }) => ({ id, label }))
    return { numbers: [...list], app, passkeys: named, recoveryCodes: left }
  })
}

/** Returns when a factor was last used, in milliseconds since 1970 like `usedAt` of a browser. Undefined: not known. */
export type UsedAt = (factor: string) => number | undefined

/** Reads when each factor was last used. Rejects with a TypeError if a value is not a time. */
export function createReadUses({ lastUsed }: AccountPagesOptions) {
  return hostFunction(async (subject: string): Promise<UsedAt> => {
    const used = await lastUsed?.(subject)
    times(used, 'accountPages: lastUsed')
    return (factor) => used?.[factor]?.valueOf()
  })
}
