import { TwoFactorError } from '../../errors.js'

const thrownByHost = new WeakSet<object>()

/**
 * A function of the host that remembers what it throws. An error of ours that it met elsewhere, such as that
 * of a message it sent itself, says nothing about this request: the host's own error handler responder it.
 */
export function hostFunction<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
): (...args: Args) => Result {
  return (...args) => {
    try {
      const result = call(...args)
      if (typeof Object(result).then !== 'function') return result
      // Query builders ask once for every `then`: nobody else must call it.
      const answer = Promise.resolve(result)
      answer.catch(remember)
      return answer as Result
    } catch (error) {
      remember(error)
      throw error
    }
  }
}

/** Whether an error is told as a problem: one of ours that came out of no function of the host. */
export function isOurs(error: unknown): error is TwoFactorError {
  return error instanceof TwoFactorError && !thrownByHost.has(error)
}

function remember(error: unknown): void {
  if (typeof error === 'object' && error !== null) thrownByHost.add(error)
}
