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

/** A slot, or why there is none: none was free in time, or the client disconnected. */
export type SlotResult = Leave | 'busy' | 'disconnected'

type SlotRequest = Pick<Waiter, 'lane' | 'command'>

interface WaitingExchange extends SlotRequest {
  readonly settle: (entry: SlotResult) => void
}

const isCheckOfSignIn = ({ lane, command }: SlotRequest) => lane === 'auth' && command === 'check'

/**
 * Limits the requests in progress to `most`, which is at least 3. A hanging request uses one slot only, and a slow
 * provider receives no more requests than it can answer in time. A quarter of the slots is reserved for checks of
 * sign-ins, because hanging sends must refuse no correct code. Sign-ups use at most half of the slots, and never the last
 * one that sends of sign-ins can use.
 */
export function createExchangeQueue(most: number) {
  const reserved = Math.max(1, Math.floor(most / 4))
  const others = most - reserved
  const mostOfSignups = Math.min(Math.floor(most / 2), others - 1)
  const held = { checks: 0, sends: 0, signups: 0 }
  // With one line for both, users who have a code would wait behind sends that hang (denial of service).
  const lines = { check: new Set<WaitingExchange>(), send: new Set<WaitingExchange>() }

  const kindOf = (request: SlotRequest) => {
    if (request.lane === 'enrol') return 'signups'
    return isCheckOfSignIn(request) ? 'checks' : 'sends'
  }

  function isFree(request: SlotRequest): boolean {
    if (held.checks + held.sends + held.signups >= most) return false
    if (isCheckOfSignIn(request)) return true
    // Checks of sign-ins use the reserved slots first.
    const used = held.sends + held.signups + Math.max(0, held.checks - reserved)
    if (request.lane === 'auth') return used < others
    return held.signups < mostOfSignups && used < others - 1
  }

  function enter(request: SlotRequest): Leave {
    const kind = kindOf(request)
    held[kind] += 1
    return () => {
      held[kind] -= 1
      for (const line of [lines.check, lines.send]) {
        for (const waiting of line) {
          if (isFree(waiting)) return waiting.settle(enter(waiting))
        }
      }
    }
  }

  return {
    /** Resolves with the function that frees the slot, to be called once, or with the reason why there is none. */
    async enter({ lane, command, waitMs, onGone }: Waiter): Promise<SlotResult> {
      const request = { lane, command }
      if (isFree(request)) return enter(request)
      return new Promise((resolve) => {
        const waiting = { ...request, settle }
        const stop = afterRunning(waitMs, () => settle('busy'))
        lines[command].add(waiting)
        onGone?.(() => settle('disconnected'))

        function settle(entry: SlotResult): void {
          lines[command].delete(waiting)
          stop()
          resolve(entry)
        }
      })
    },
  }
}

/** Number of timers that measure one wait. */
const parts = 10

/**
 * Calls back after `ms` during which the event loop ran. A timer that fires late shows that it was blocked: responses may
 * have arrived that free a slot, so this part of the wait does not count. Returns a function that stops it.
 */
function afterRunning(ms: number, callback: () => void): () => void {
  const partMs = ms / parts
  let timer: NodeJS.Timeout
  let counted = 0
  // A loop that is blocked all the time must not lengthen the wait forever.
  let most = 2 * parts
  function wait(): void {
    const startedAt = performance.now()
    timer = setTimeout(() => {
      most -= 1
      if (performance.now() - startedAt < 2 * partMs) counted += 1
      if (counted < parts && most > 0) wait()
      else callback()
    }, partMs)
  }
  wait()
  return () => clearTimeout(timer)
}
