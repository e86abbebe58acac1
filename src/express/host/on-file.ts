import type { Request } from 'express'
import { isOneOf, type Method } from '../../challenge/code-provider.js'
import type { NumberOnFile, OnFile } from '../../challenge/destinations.js'
import { andThen } from '../../lib/promises.js'
import { fromBase32 } from '../../lib/totp.js'
import type { HttpSettings } from '../settings.js'
import { type HostDeadline, hostFunction } from './boundary.js'
import type { Warnings } from './warnings.js'

/** More than anybody has: each is another way in. */
const maxNumbers = 5
/** 80 bits, of which the shortest secrets in use are made; those of this package have 160. */
const minBytes = 10

/** What the host has on file of its subjects, by the options `phone` and `authenticator`. */
export function createOnFile(
  { phone, authenticator, methods }: Pick<HttpSettings, 'phone' | 'authenticator' | 'methods'>,
  within: (name: string) => HostDeadline<readonly [Request, ...unknown[]]>,
  warn: Warnings['warn'],
) {
  const phoneOf = hostFunction(phone, within('phone'))
  const secretOf = authenticator && hostFunction(authenticator.secretOf, within('authenticator.secretOf'))
  const onUnreadable = (place: number) => warn('TWO_FACTOR_PHONE_UNREADABLE', `number ${place} of a list`)
  const numbersIn = (onFile: unknown) => ({ onUnreadable, ...readNumbers(onFile, methods) })
  return {
    /** The numbers in what `phone` returned. */
    numbersIn,
    numbersOf: (req: Request, subject: string) => andThen(phoneOf(req, subject), numbersIn),
    /** The bytes that a subject shares with its app; absent where there are no apps. */
    secretOf: secretOf && ((req: Request, subject: string) => andThen(secretOf(req, subject), readSecret)),
  }
}

/** The bytes of what `authenticator.secretOf` returned; throws a TypeError that does not show it. */
export function readSecret(onFile: unknown): Uint8Array | undefined {
  if (onFile === undefined || onFile === null || onFile === '') return undefined
  const secret = typeof onFile === 'string' ? fromBase32(onFile) : undefined
  if (secret !== undefined && secret.length >= minBytes) return secret
  throw new TypeError(
    'authenticator.secretOf must return what tf.authenticators gave, 16 characters of base32 or more, or undefined',
  )
}

/** What the option `phone` returned; throws a TypeError that names no number. */
function readNumbers(onFile: unknown, methods: readonly Method[]): OnFile | undefined {
  if (onFile === undefined || onFile === null || onFile === '') return undefined
  if (typeof onFile === 'string') return { phone: onFile }
  if (!Array.isArray(onFile) || onFile.length > maxNumbers) {
    const what = Array.isArray(onFile) ? `${onFile.length} numbers` : `a value of type ${typeof onFile}`
    throw new TypeError(
      `phone returned ${what}; it must return a string, a list of up to ${maxNumbers}, or undefined`,
    )
  }
  const numbers = onFile.map((given: unknown, index): NumberOnFile => {
    const number = typeof given === 'string' ? { phone: given } : Object(given)
    const { phone, methods: own = [], label = '' } = number
    const areStrings = [phone, label].every((text) => typeof text === 'string')
    if (areStrings && Array.isArray(own) && own.every((name) => isOneOf(methods, name))) return number
    throw new TypeError(
      `phone: number ${index + 1} must be a string, or { phone, methods, label } with methods of the provider`,
    )
  })
  return numbers.length === 0 ? undefined : { numbers }
}
