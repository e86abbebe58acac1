import type { CodeSend } from '../challenge/exchange/code-provider.js'

type MemberLane = CodeSend['lane']

/** After so many sends in a row without an answer a member rests for so long. */
const sendsBeforeRest = 5
const restMs = 15_000

export type Rests = ReturnType<typeof createRests>

/**
 * Which members of a `failover` give no answer: whoever is sent a code by the next one should not wait for them first.
 * One memory for each lane: visitors of a signup form pick their numbers, so their failures say nothing to sign-ins.
 */
export function createRests() {
  const silent = new Map<string, { inARow: number; until: number }>()
  const keyOf = (name: string, lane: MemberLane) => `${lane ?? 'auth'} ${name}`

  return {
    isResting(name: string, lane: MemberLane): boolean {
      const { until = 0 } = silent.get(keyOf(name, lane)) ?? {}
      return performance.now() < until
    },

    /** It is asked to send. Returns what takes whether it has answered. */
    ask(name: string, lane: MemberLane): (isAnswered: boolean) => void {
      const key = keyOf(name, lane)
      const known = silent.get(key)
      // After a rest one send tries it. Those that come meanwhile need not wait for what becomes of that.
      if (known !== undefined && known.inARow >= sendsBeforeRest) known.until = performance.now() + restMs
      return (isAnswered) => {
        if (isAnswered) {
          silent.delete(key)
          return
        }
        const inARow = (silent.get(key)?.inARow ?? 0) + 1
        silent.set(key, { inARow, until: inARow < sendsBeforeRest ? 0 : performance.now() + restMs })
      }
    },
  }
}
