import type { Lane } from '../limits.js'

/** A request to the provider that waits for a slot. */
export interface Waiter {
  readonly lane: Lane
  readonly command: 'send' | 'check'
  readonly waitMs: number
  /** Registers a callback for a client disconnect. Omit it without a client. */
  readonly onGone?: ((leave: () => void) => void) | undefined
}

/** Frees a slot. */
type Leave = () => void

interface WaitingExchange {
  readonly lane: Lane
  readonly settle: (factor: Leave | undefined) => void
}

/**
 * At most `most` exchanges at once, of which sign-ups hold half. An exchange that hangs holds one place and no more; a
 * provider that is slow is not buried under what it can no longer answer in time.
 */
export function createExchangeQueue(most: number) {
  const mostIn = { auth: most, enrol: Math.max(1, Math.floor(most / 2)) }
  const held = { auth: 0, enrol: 0 }
  // With one line for both, users who have a code would wait behind sends that hang (denial of service).
  const lines = { check: new Set<WaitingExchange>(), send: new Set<WaitingExchange>() }

  const isFree = (lane: Lane) => held.auth + held.enrol < most && held[lane] < mostIn[lane]

  function enter(lane: Lane): Leave {
    held[lane] += 1
    return () => {
      held[lane] -= 1
      for (const line of [lines.check, lines.send]) {
        for (const waiting of line) {
          if (isFree(waiting.lane)) return waiting.settle(enter(waiting.lane))
        }
      }
    }
  }

  return {
    /**
     * Resolves with what gives the place back, to be called once; with nothing where none was free in time, or its
     * client has gone.
     */
    async enter({ lane, command, waitMs, onGone }: Waiter): Promise<Leave | undefined> {
      if (isFree(lane)) return enter(lane)
      return new Promise((resolve) => {
        const waiting = { lane, settle }
        const timer = setTimeout(settle, waitMs)
        lines[command].add(waiting)
        onGone?.(() => settle())

        function settle(factor?: Leave): void {
          lines[command].delete(waiting)
          clearTimeout(timer)
          resolve(factor)
        }
      })
    },
  }
}
