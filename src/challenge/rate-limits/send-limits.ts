import type { Refusal } from '../commands.js'
import type { SendResult } from '../exchange/code-provider.js'
import { retryUntilSettled } from '../updater.js'

/** A rate limit, or several, that one send uses. */
export interface SendLimit {
  /** Counts the send, or refuses it and counts nothing. It can be repeated after a failure. */
  consume(): Promise<Refusal | undefined>
  /** Reads what `consume` counts, to see that the store responds again. */
  read(): Promise<unknown>
  /** Undoes a `consume` that failed and may have counted. */
  rollBack(): Promise<unknown>
  /** Undoes a `consume`, because another limit refused the send or failed. */
  withdraw(): Promise<unknown>
  /** Records the outcome of the send. A send that delivered nothing is refunded. */
  settle(sent: SendResult): Promise<unknown>
}

/** The rate limits in which a send is counted. */
export type ConsumedLimits = Pick<SendLimit, 'settle'>

/** Counts a send in each of its rate limits. If one of them refuses or fails, the send is counted in none. */
export async function consumeSendLimits(limits: readonly SendLimit[]): Promise<Refusal | ConsumedLimits> {
  const counted: SendLimit[] = []
  const results = await Promise.allSettled(
    limits.map(async (limit) => {
      const refusal = await consumeLimit(limit)
      if (refusal === undefined) counted.push(limit)
      return refusal
    }),
  )
  const failure = results.find((result) => result.status === 'rejected')
  const [refusal] = results.flatMap((result) => (result.status === 'fulfilled' && result.value) || [])
  if (failure !== undefined || refusal !== undefined) {
    await Promise.allSettled(counted.map((limit) => limit.withdraw()))
  }
  if (failure !== undefined) throw failure.reason
  return refusal ?? { settle: (sent) => Promise.allSettled(counted.map((limit) => limit.settle(sent))) }
}

/** Retries without a response of the store, because a person would lose a code to one broken connection. */
async function consumeLimit(limit: SendLimit): Promise<Refusal | undefined> {
  return retryUntilSettled(limit.consume, limit.read).catch(async (error: unknown) => {
    await Promise.allSettled([limit.rollBack()])
    throw error
  })
}
