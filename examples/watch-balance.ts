// Calls `tell` when the balance becomes low, empty or unknown, and again when it recovers:
// const end = watchBalance({ client, low: 500, tell: (condition, credits) => alarm(condition, credits) })
import type { ProviderClient } from 'express-two-factor'

export interface BalanceWatch {
  readonly client: Pick<ProviderClient, 'balance'>
  /** Number of credits at or below which the account is low. */
  readonly low: number
  /** Interval between requests, in milliseconds. Default: five minutes. */
  readonly everyMs?: number
  /** Called at each change. */
  tell(condition: 'low' | 'empty' | 'unknown' | 'ok', credits: number | undefined): void
}

/** Starts the watch and returns a function that ends it. Run it in one process of an app only. */
export function watchBalance({ client, low, everyMs = 300_000, tell }: BalanceWatch): () => void {
  let told: Parameters<BalanceWatch['tell']>[0] = 'ok'
  let timer = setTimeout(look, 0).unref()
  let isOver = false

  async function look(): Promise<void> {
    const { credits } = await client.balance().catch(() => ({ credits: undefined }))
    if (isOver) return
    timer = setTimeout(look, everyMs).unref()
    const condition = conditionOf(credits, low)
    if (condition !== told) tell(condition, credits)
    told = condition
  }

  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

function conditionOf(credits: number | undefined, low: number) {
  // The account did not respond, or returned no figure.
  if (credits === undefined) return 'unknown'
  if (credits <= 0) return 'empty'
  return credits <= low ? 'low' : 'ok'
}
