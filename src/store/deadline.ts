/**
 * Rejects with what `late` gives when `start` takes longer than `ms`, counted in time in which the event
 * loop turned: after a pause of the whole process the answer may lie unread, or the question unsent.
 */
export function withinDeadline<Result>(
  ms: number,
  start: () => Promise<Result>,
  late: () => Error,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    // A blocked loop can swallow one half. Between the halves, and before the immediate, it writes and reads.
    let timer = setTimeout(() => {
      timer = setTimeout(() => setImmediate(() => reject(late())), ms / 2)
    }, ms / 2)
    start()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
