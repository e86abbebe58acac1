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

const isPromise = (value: unknown): value is Promise<unknown> => value instanceof Promise

/** Whether it is a promise of whatever make: clients of databases and stores have their own. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as Partial<PromiseLike<T>> | null | undefined)?.then === 'function'
}

/** For what may never be awaited, or must be no promise: its rejection must not end the process. */
export function ignoreRejection(value: unknown): void {
  if (isThenable(value)) Promise.resolve(value).catch(() => undefined)
}
