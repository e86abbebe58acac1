import type { TracingChannel } from 'node:diagnostics_channel'

// What may take its time: at once or later, within a deadline, beside the requests, under a trace.

/** A value, or a promise of one. Callers do not await a value that is there at once, as from a store in memory. */
export type Awaitable<T> = T | Promise<T>

/** Goes on with a value, at once where it is no promise: half of what a request costs would be promises of nothing. */
export function andThen<T, Result>(
  value: Awaitable<T>,
  next: (value: T) => Awaitable<Result>,
): Awaitable<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}

/** All of them together, at once where none is a promise. */
export function all<const Values extends readonly unknown[]>(
  values: Values,
): Awaitable<{ readonly [Index in keyof Values]: Awaited<Values[Index]> }> {
  type Settled = { readonly [Index in keyof Values]: Awaited<Values[Index]> }
  return values.some(isPromise) ? (Promise.all(values) as Promise<Settled>) : (values as unknown as Settled)
}

/** The same where each is waited for, whatever becomes of the others. What is no promise has not failed. */
export function allSettled<T>(
  values: readonly Awaitable<T>[],
): Awaitable<readonly PromiseSettledResult<T>[]> {
  if (values.some(isPromise)) return Promise.allSettled(values)
  return (values as readonly T[]).map((value) => ({ status: 'fulfilled', value }))
}

/** The same, and then the first failure is thrown: nothing is still under way where one has failed. */
export async function allEnded<T>(values: readonly Awaitable<T>[]): Promise<readonly T[]> {
  const ended = await allSettled(values)
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
}

const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise

/** Whether it is a promise of whatever make: clients of databases and stores have their own. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as Partial<PromiseLike<T>> | null | undefined)?.then === 'function'
}

/** For what may never be awaited, or must be no promise: its rejection must not end the process. */
export function ignoreRejection(value: unknown): void {
  if (isThenable(value)) Promise.resolve(value).catch(() => undefined)
}

/**
 * Rejects with what `late` returns when `start` takes longer than `ms`, counted in time in which the event
 * loop turned: after a pause of the whole process, the reply may be waiting unread, or the request unsent.
 */
export function withinDeadline<Result>(
  ms: number,
  start: () => Promise<Result>,
  late: () => Error = () => new Error(`no response within ${ms} ms`),
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const bounded = new Promise<Result>((resolve, reject) => {
    // If the loop was blocked, timers fire late. Two half timeouts and a setImmediate give pending I/O a
    // chance before we give up.
    timer = setTimeout(() => {
      timer = setTimeout(() => setImmediate(() => reject(late())), ms / 2)
    }, ms / 2)
    start().then(resolve, reject)
  })
  // Asked of our own promise: one that never settles would keep alive whatever waits for it.
  const clear = () => clearTimeout(timer)
  bounded.then(clear, clear)
  return bounded
}

/**
 * For what must not have happened where nobody waited for it: `bounded` has ended, and what `work` comes to after all is
 * undone.
 */
export function undoneWhenLate<Result>(
  bounded: Promise<Result>,
  work: Promise<Result>,
  undo: () => unknown,
): Promise<Result> {
  bounded.catch(() => work.then(undo)).catch(() => undefined)
  return bounded
}

/** Work beside the requests: it keeps no process alive, reports no failure, and ends with `close`. */
export interface Background {
  /** Runs a task after so many milliseconds, unless it was closed meanwhile. */
  after(ms: number, task: () => Promise<void>): void
  /** Runs a task beside the caller, who does not wait for it. */
  run(task: () => Promise<void>): void
  close(): void
}

export function createBackground(): Background {
  const timers = new Set<NodeJS.Timeout>()
  let isClosed = false
  function run(task: () => Promise<void>): void {
    // A rejection that nobody awaits would end the host's process.
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
 * Runs one operation under a tracing channel of `node:diagnostics_channel`. What `run` adds to the context
 * is there when the operation ends. Without a subscriber no context is made.
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
    // Published as the result: what `run` resolves with may hold what no tracer should see.
    return context.result
  }, context)
  return result as T
}
