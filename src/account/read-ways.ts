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

const wrong = (what: string) => optionError(`accountPages: ${what}`)
