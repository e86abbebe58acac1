import { setTimeout as sleep } from 'node:timers/promises'

const slices = 20

/**
 * What `promise` gives, or an error when it is still open after `ms` in which the event loop turned. Time in
 * which a busy machine halts this process is not held against what it waits for: it costs one slice at most.
 */
export async function inTime<Result>(ms: number, promise: PromiseLike<Result>): Promise<Result> {
  const settled = new AbortController()
  const tooLate = async () => {
    for (let slice = 0; slice < slices; slice += 1) {
      await sleep(ms / slices, undefined, { signal: settled.signal })
    }
    throw new Error(`still open after ${ms} ms`)
  }
  try {
    return await Promise.race([promise, tooLate()])
  } finally {
    settled.abort()
  }
}
