import type { CodeSend } from '../challenge/exchange/code-provider.js'

type MemberLane = CodeSend['lane']

/** Number of sends in a row without a response after which a member pauses. */
const sendsBeforeRest = 5
const firstRestMs = 15_000
const longestRestMs = 300_000

/** Sends of one member in a row without a response. */
interface Silence {
  inARow: number
  /** End of the pause. 0 before the first one. */
  until: number
  /** Duration of the next pause. */
  nextMs: number
}

export type Rests = ReturnType<typeof createRests>

/**
 * Records which members of a `failover` return no response, so that users need not wait for them first. Each lane has its
 * own record: visitors of a sign-up form choose their numbers, so their failures prove nothing about sign-ins.
 */
export function createRests() {
  const silent = new Map<string, Silence>()
  const keyOf = (name: string, lane: MemberLane) => `${lane ?? 'auth'} ${name}`

  function pause(silence: Silence): void {
    silence.until = performance.now() + silence.nextMs
  }

  return {
    isResting(name: string, lane: MemberLane): boolean {
      const { until = 0 } = silent.get(keyOf(name, lane)) ?? {}
      return performance.now() < until
    },

    /** Registers a send. Returns a function that receives whether the member responded. */
    ask(name: string, lane: MemberLane): (isAnswered: boolean) => void {
      const key = keyOf(name, lane)
      const known = silent.get(key)
      const isPaused = known !== undefined && performance.now() < known.until
      // One send tries a member after each pause. Parallel sends do not wait for its outcome.
      const isTrial = known !== undefined && known.until > 0 && !isPaused
      if (isTrial) pause(known)
      return (isAnswered) => {
        if (isAnswered) {
          silent.delete(key)
          return
        }
        const silence = silent.get(key) ?? { inARow: 0, until: 0, nextMs: firstRestMs }
        silent.set(key, silence)
        silence.inARow += 1
        // Sends that began before a pause, or during it because no other member was left, do not lengthen it.
        const isDue = isTrial || (silence.until === 0 && silence.inARow >= sendsBeforeRest)
        if (!isDue) return
        if (isTrial) silence.nextMs = Math.min(2 * silence.nextMs, longestRestMs)
        pause(silence)
      }
    },
  }
}
