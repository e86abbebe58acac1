import type { TracingChannel } from 'node:diagnostics_channel'

// Values that may be promises, deadlines, background work and traces.

/** A value, or a promise of it: what a store or a function of the app may return. */
export type Awaitable<T> = T | Promise<T>

/** Continues with a value, synchronously unless it is a promise. With a synchronous store, the guard needs no promise. */
export function andThen<T, Result>(
  value: Awaitable<T>,
  next: (value: T) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** Waits for every value, then throws the first failure, so that nothing is in progress after a failure. */
export async function allEnded<T>(values: readonly Awaitable<T>[]): Promise<readonly T[]> {
  const ended = await Promise.allSettled(values)
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
}

/** Returns whether a value is a promise of any make. Database and store clients have their own. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as Partial<PromiseLike<T>> | null | undefined)?.then === 'function'
}

/** Ignores the rejection of a value that may never be awaited, so that it does not end the process. */
export function ignoreRejection(value: unknown): void {
  if (isThenable(value)) Promise.resolve(value).catch(() => undefined)
}

/**
 * Rejects with the result of `late` if `start` takes longer than `ms`. Only time in which the event loop turned counts:
 * after a pause of the process the response may be unread, or the request unsent.
 */
export function withinDeadline<Result>(
  ms: number,
  start: () => Promise<Result>,
  late: () => Error = () => new Error(`no response within ${ms} ms`),
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const bounded = new Promise<Result>((resolve, reject) => {
    // Timers fire late after a blocked loop. Two half timeouts and a setImmediate let pending I/O arrive first.
    timer = setTimeout(() => {
      timer = setTimeout(() => setImmediate(() => reject(late())), ms / 2)
    }, ms / 2)
    start().then(resolve, reject)
  })
  // Attached to our own promise: one that never settles would keep its waiters in memory.
  const clear = () => clearTimeout(timer)
  bounded.then(clear, clear)
  return bounded
}

/** Undoes the late result of `work` after `bounded` has failed, because its caller has stopped waiting. */
export function undoneWhenLate<Result>(
  bounded: Promise<Result>,
  work: Promise<Result>,
  undo: () => unknown,
): Promise<Result> {
  bounded.catch(() => work.then(undo)).catch(() => undefined)
  return bounded
}

/** Work outside of requests. It keeps no process alive, reports no failure, and ends with `close`. */
export interface Background {
  /** Runs a task after this many milliseconds, unless `close` was called before. */
  after(ms: number, task: () => Promise<void>): void
  /** Runs a task without a caller that waits for it. */
  run(task: () => Promise<void>): void
  close(): void
}

export function createBackground(): Background {
  const timers = new Set<NodeJS.Timeout>()
  let isClosed = false
  function run(task: () => Promise<void>): void {
    // An unhandled rejection would end the app's process.
    if (!isClosed) task().catch(() => undefined)
  }

  return {
    run,
    after(ms, task) {
      if (isClosed) return
      const timer = setTimeout(() => {
        timers.delete(timer)
        run(task)
      }, ms)
      timer.unref()
      timers.add(timer)
    },
    close() {
      isClosed = true
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}

/**
 * Runs one operation under a tracing channel of `node:diagnostics_channel`. Members that `run` adds to the context are
 * present when the operation ends. Without a subscriber there is no context.
 */
export function traced<Context extends { result?: unknown }, T>(
  channel: TracingChannel<unknown, Context>,
  contextOf: () => Context,
  run: (context?: Context) => Promise<T>,
): Promise<T> {
  return channel.hasSubscribers ? observed(channel, contextOf(), run) : run()
}

async function observed<Context extends { result?: unknown }, T>(
  channel: TracingChannel<unknown, Context>,
  context: Context,
  run: (context: Context) => Promise<T>,
): Promise<T> {
  let result: T | undefined
  await channel.tracePromise(async () => {
    result = await run(context)
    // The result that is published. The value of `run` may contain secrets.
    return context.result
  }, context)
  return result as T
}
