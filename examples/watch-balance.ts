// Tells once that the account runs low, is empty or cannot be asked, and once that it is well again:
// const end = watchBalance({ client, low: 500, tell: (condition, credits) => alarm(condition, credits) })
import type { ProviderClient } from 'express-two-factor'

export interface BalanceWatch {
  readonly client: Pick<ProviderClient, 'balance'>
  /** Credits from which on downward the account counts as low. */
  readonly low: number
  /** How often the account is asked, in milliseconds. Default five minutes. */
  readonly everyMs?: number
  /** Hears each change. */
  tell(condition: 'low' | 'empty' | 'unknown' | 'ok', credits: number | undefined): void
}

/** Run it in one process of an app: each that runs it asks, and tells. Returns what ends it. */
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
  // The account could not be asked, or gave no figure.
  if (credits === undefined) return 'unknown'
  if (credits <= 0) return 'empty'
  return credits <= low ? 'low' : 'ok'
}
