import { maxTimerMs } from './time.js'

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
      const timer = setTimeout(
        () => {
          timers.delete(timer)
          run(task)
        },
        Math.min(Math.max(ms, 1), maxTimerMs),
      )
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
