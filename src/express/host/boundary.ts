import { isNativeError } from 'node:util/types'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { TwoFactorError } from '../../errors.js'
import { isThenable, withinDeadline } from '../../lib/promises.js'

/** Whether the request goes on to the next handler; false when it was answered. */
export type Decide = (req: Request, res: Response) => boolean | Promise<boolean>

/**
 * The only place of the package that calls `next`. Express reads `next(undefined)`, `next(null)`, `next('')`,
 * `next('route')` and the like as "go on", so whatever is thrown is an Error before Express sees it: an
 * unproven request is let in by no failure (OWASP ASVS 5.0, 16.5.3: fail securely).
 */
export function middleware(decide: Decide): RequestHandler {
  return (req, res, next) => {
    let decided: boolean | Promise<boolean>
    try {
      decided = decide(req, res)
    } catch (thrown) {
      fail(next, thrown)
      return
    }
    if (decided === true) next()
    else if (decided instanceof Promise) {
      decided.then((admitted) => admitted === true && next()).catch((thrown) => fail(next, thrown))
    }
  }
}

function fail(next: NextFunction, thrown: unknown): void {
  // Nobody is left to answer, and nothing behind this handler may run.
  if (thrown !== clientGone) next(asError(thrown))
}

/** How long a function of the host may take. */
export interface HostDeadline<Args extends readonly unknown[]> {
  /** As the host calls it. */
  readonly name: string
  /** Milliseconds. */
  readonly timeoutMs: number
  /** The request it is asked for, where its answer is of no use once the client has gone. */
  readonly requestOf?: (...args: Args) => Request
}

/** The compiler asks for the deadline of whatever may return a promise. */
type Deadline<Args extends readonly unknown[], Result> = [Extract<Result, PromiseLike<unknown>>] extends [
  never,
]
  ? []
  : [deadline: HostDeadline<Args>]

/** A function of the host took longer than `limits.hostTimeoutMs`. Express answers it with 503. */
export class HostTimeoutError extends Error {
  readonly status = 503

  constructor({ name, timeoutMs }: Pick<HostDeadline<[]>, 'name' | 'timeoutMs'>) {
    super(`${name} did not settle within ${timeoutMs} ms: limits.hostTimeoutMs`)
    this.name = new.target.name
  }
}

/** One for all: an error of its own would keep the request alive by its stack. */
const clientGone = new Error('The client has gone.')

const thrownByHost = new WeakSet<Error>()

/**
 * Wraps a function of the host: whatever it throws becomes an Error marked as the host's. A TwoFactorError
 * from it, such as that of a message it sent itself, is not about this request: it goes to the host's error
 * handler.
 */
export function hostFunction<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
  ...[deadline]: Deadline<Args, Result>
): (...args: Args) => Result {
  return throwingErrors(call, deadline, (error) => thrownByHost.add(error))
}

/** The same for a function of a session adapter, whose TwoFactorErrors are ours: it throws them without a session. */
export function adapterFunction<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
  deadline: HostDeadline<Args>,
): (...args: Args) => Result {
  return throwingErrors(call, deadline, () => undefined)
}

/** Whether an error becomes a problem response: a TwoFactorError that no function of the host threw. */
export function isOurs(error: unknown): error is TwoFactorError {
  return error instanceof TwoFactorError && !thrownByHost.has(error)
}

/**
 * The host's clock in whole milliseconds, so that every duration computed from it is an integer. Checked,
 * because comparisons with NaN or a promise are always false.
 */
export function hostClock(now: () => number): () => number {
  const ask = hostFunction(now)
  return () => {
    const ms = ask()
    if (!Number.isFinite(ms)) throw new TypeError('now must return a finite number of milliseconds')
    return Math.floor(ms)
  }
}

/** Whatever the function throws or rejects with becomes an Error; what it returns at once costs no promise. */
function throwingErrors<Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
  deadline: HostDeadline<Args> | undefined,
  note: (error: Error) => void,
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
    if (!isThenable(result)) return result
    // Query builders run the query at every `then`: call it once.
    const promise = Promise.resolve(result)
    const settled = (deadline ? bounded(promise, deadline, deadline.requestOf?.(...args)) : promise).catch(
      fail,
    )
    // Where a promise is a mistake it is not awaited, and an unhandled rejection would end the process.
    settled.catch(() => undefined)
    return settled as Result
  }
}

/** Denial of service: what never settles would keep every request alive that waits for it. */
function bounded<Result>(
  promise: Promise<Result>,
  deadline: HostDeadline<never>,
  req: Request | undefined,
): Promise<Result> {
  const whileThere = () => (req?.res ? untilGone(promise, req.res) : promise)
  return withinDeadline(deadline.timeoutMs, whileThere, () => new HostTimeoutError(deadline))
}

/** Rejects when the client goes away without its response. */
function untilGone<Result>(promise: Promise<Result>, res: Response): Promise<Result> {
  let leave = (): void => undefined
  const waiting = new Promise<Result>((resolve, reject) => {
    leave = () => {
      // Closed after a response of the host's own, it is no client that has gone.
      if (!res.writableEnded) reject(clientGone)
    }
    if (res.closed) leave()
    promise.then(resolve, reject)
  })
  res.once('close', leave)
  const stop = () => void res.off('close', leave)
  waiting.then(stop, stop)
  return waiting
}

/** What was thrown, as an Error: JavaScript throws anything. That of another realm stays as it is. */
function asError(thrown: unknown): Error {
  if (thrown instanceof Error || isNativeError(thrown)) return thrown
  return new Error(`A value of type ${typeof thrown} was thrown instead of an Error`, { cause: thrown })
}
