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
