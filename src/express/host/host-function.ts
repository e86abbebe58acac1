import { TwoFactorError } from '../../errors.js'
import { asError } from '../../lib/as-error.js'
import type { SessionAdapter } from './session.js'

const thrownByHost = new WeakSet<Error>()

/**
 * A function of the host whose failures are Errors, and remembered as the host's. An error of ours that it
 * met elsewhere, such as that of a message it sent itself, says nothing about this request: it goes to the
 * host's own error handler.
 */
export function hostFunction<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
): (...args: Args) => Result {
  return throwingErrors(call, (error) => thrownByHost.add(error))
}

/** Whether an error is told as a problem: one of ours that came out of no function of the host. */
export function isOurs(error: unknown): error is TwoFactorError {
  return error instanceof TwoFactorError && !thrownByHost.has(error)
}

/** The host's session. Errors of ours stay problems here: by them an adapter says that there is no session. */
export function hostSession(adapter: SessionAdapter): SessionAdapter {
  const { keep } = adapter
  return {
    ...adapter,
    id: throwingErrors((req) => adapter.id(req)),
    rotate: throwingErrors((req, res) => adapter.rotate(req, res)),
    ...(keep && { keep: throwingErrors((req, res) => keep.call(adapter, req, res)) }),
  }
}

/** The host's clock: a promise or NaN is neither before nor after any moment. */
export function hostClock(now: () => number): () => number {
  const ask = hostFunction(now)
  return () => {
    const ms = ask()
    if (!Number.isFinite(ms)) throw new TypeError('now must return a finite number of milliseconds')
    return ms
  }
}

function throwingErrors<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
  note: (error: Error) => void = () => undefined,
): (...args: Args) => Result {
  const fail = (thrown: unknown): never => {
    const error = asError(thrown)
    note(error)
    throw error
  }
  return (...args) => {
    let result: Result
    try {
      result = call(...args)
    } catch (thrown) {
      return fail(thrown)
    }
    if (typeof Object(result).then !== 'function') return result
    // Query builders ask once for every `then`: nobody else must call it.
    const answer = Promise.resolve(result).catch(fail)
    // Where a promise is a mistake nobody waits for it, and a rejection unheard of would end the process.
    answer.catch(() => undefined)
    return answer as Result
  }
}
