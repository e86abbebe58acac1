import type { Background } from '../../src/lib/promises.js'

/** Timers of a clock that is moved by hand: what is due runs in its order, each task to its end. */
export function handMoved(start = 1_800_000_000_000) {
  let clock = start
  let due: { readonly at: number; readonly task: () => Promise<void> }[] = []
  const running = new Set<Promise<void>>()

  function run(task: () => Promise<void>): void {
    const promise = task()
      .catch(() => undefined)
      .finally(() => running.delete(promise))
    running.add(promise)
  }

  const background: Background = {
    run,
    after: (ms, task) => void due.push({ at: clock + Math.max(ms, 0), task }),
    close: () => {
      due = []
    },
  }

  async function settle(): Promise<void> {
    while (running.size > 0) await Promise.all(running)
  }

  return {
    background,
    now: () => clock,
    waiting: () => due.length,
    /** Lets time pass, with everything that becomes due. */
    async elapse(ms: number): Promise<void> {
      const end = clock + ms
      await settle()
      for (;;) {
        const next = due.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0]
        if (next === undefined) break
        due = due.filter((one) => one !== next)
        clock = Math.max(clock, next.at)
        run(next.task)
        await settle()
      }
      clock = end
    },
  }
}
