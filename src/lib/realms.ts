import { isNativeError } from 'node:util/types'

// In Jest, an app has other built-ins than this package, which Node loads: another realm. `instanceof` fails for values
// of another realm.

/** Returns whether a value is an Error of any realm. */
export function isError(value: unknown): value is Error {
  // A DOMException is an Error, but not a native one.
  return value instanceof Error || isNativeError(value)
}

/** Returns whether a value is a TypeError of any realm. */
export function isTypeError(value: unknown): value is TypeError {
  return value instanceof TypeError || (isNativeError(value) && value.name === 'TypeError')
}
