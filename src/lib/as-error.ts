import { isNativeError } from 'node:util/types'

/**
 * What was thrown, as an Error: JavaScript throws and rejects with anything. What is an Error already, also
 * one of another realm, stays as it is.
 *
 * @example
 * asError(undefined).cause // undefined: whatever was thrown is the cause
 */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error || isNativeError(thrown)) return thrown
  return new Error(`A value of type ${typeof thrown} was thrown instead of an Error`, { cause: thrown })
}
