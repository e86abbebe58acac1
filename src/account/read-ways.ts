import { optionError } from '../lib/options.js'
import type { Ways } from './changes.js'
import type { AccountPagesOptions } from './options.js'

/** The one spelling in which the same number is not on file twice. */
const e164 = /^\+[1-9]\d{6,14}$/

/**
 * Reads what the host has on file of an account. Rejects with a TypeError for what says neither that there is a way nor
 * that there is none: whoever seems to have none needs no code.
 */
export function createReadWays({ numbers, authenticator, recoveryCodes }: AccountPagesOptions) {
  return async (subject: string): Promise<Ways> => {
    const [list, app, left] = await Promise.all([
      numbers.list(subject),
      authenticator?.has(subject),
      recoveryCodes?.remaining(subject),
    ])
    if (!Array.isArray(list) || !list.every((number) => typeof number === 'string' && e164.test(number))) {
      throw wrong('numbers.list must return a list of numbers in E.164, such as +573001234567')
    }
    if (authenticator !== undefined && typeof app !== 'boolean') {
      throw wrong('authenticator.has must return true or false')
    }
    if (recoveryCodes !== undefined && !(Number.isSafeInteger(left) && Number(left) >= 0)) {
      throw wrong('recoveryCodes.remaining must return how many are left, as a number')
    }
    return { numbers: list, app, recoveryCodes: left }
  }
}

/** When a way was last used, in milliseconds since 1970 like `usedAt` of a browser; undefined where nobody knows. */
export type UsedAt = (way: string) => number | undefined

/** Reads when each way was last used. Rejects with a TypeError for what is no time. */
export function createReadUses({ lastUsed }: AccountPagesOptions) {
  return async (subject: string): Promise<UsedAt> => {
    const times = new Map(Object.entries((await lastUsed?.(subject)) ?? {}))
    if (![...times.values()].every((at) => isTime(at ?? 0))) {
      throw wrong('lastUsed must return times by number or app, each a Date or milliseconds since 1970')
    }
    return (way) => times.get(way)?.valueOf()
  }
}

const isTime = (at: unknown) =>
  (at instanceof Date || typeof at === 'number') && !Number.isNaN(new Date(at).valueOf())

const wrong = (what: string) => optionError(`accountPages: ${what}`)
