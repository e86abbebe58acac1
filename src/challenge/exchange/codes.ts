import type { DomainServices } from '../keys.js'
import type { Limits } from '../limits.js'
import {
  type CodeCheck,
  type CodeProvider,
  type CodeSend,
  type CompositeProvider,
  membersOf,
  type SendResult,
  type Verdict,
} from './code-provider.js'
import { createExchanges, type ExchangeContext, type ExchangeResult } from './exchanges.js'
import { readVerdict } from './provider-answer.js'

export type Codes = ReturnType<typeof createCodes>

/**
 * Creates the use cases' access to the code provider, with deadlines and queues. Neither method rejects. Each member of
 * a composite has its own queue and its share of the deadline.
 */
export function createCodes(
  parts: DomainServices & {
    readonly provider: CodeProvider | CompositeProvider
    readonly limits: Pick<Limits, 'sendTimeoutMs' | 'verifyTimeoutMs'>
  },
) {
  const { limits, secrets } = parts
  const composite = 'withMembers' in parts.provider ? parts.provider : undefined
  const members = membersOf(parts.provider).map((member) => createExchanges(member, parts))

  /** Wraps the members for one request. Each wrapper records the facts about the member that was used last. */
  function withDeadlines(target: ExchangeContext) {
    const startedAt = performance.now()
    let waiting = members.length
    let last: Omit<ExchangeResult<unknown>, 'result'> = { fields: {} }

    function remember<Result>({ result, ...others }: ExchangeResult<Result>): Result {
      last = others
      return result
    }

    const wrappedMembers = members.map((member): CodeProvider => {
      const capped = (ms: number) => Math.min(ms, member.provider.timeoutMs ?? ms)
      return {
        async sendCode(send) {
          const leftMs = startedAt + limits.sendTimeoutMs - performance.now()
          // An unreachable provider must leave time for the next one.
          const shareMs = leftMs / Math.max(waiting, 1)
          waiting -= 1
          if (shareMs >= 1 && !last.isDisconnected)
            return remember(await member.send(target, capped(shareMs), send))
          send.report?.({ asked: false })
          return { result: 'not-sent' }
        },
        async checkCode(check) {
          return remember(await member.check(target, capped(limits.verifyTimeoutMs), check))
        },
      }
    })
    const wrapped = composite?.withMembers(wrappedMembers) ?? (wrappedMembers.at(0) as CodeProvider)
    return { provider: wrapped, lastFacts: () => last }
  }

  function opened(handle: string | undefined, { key }: ExchangeContext): string | undefined {
    return handle === undefined ? undefined : secrets.open('handle', handle, key)
  }

  /** Seals the handle, so that the store reveals nothing about the code. */
  function sealed(sent: SendResult, { key }: ExchangeContext): SendResult {
    if (!('handle' in sent) || sent.handle === undefined) return sent
    return { ...sent, handle: secrets.seal('handle', sent.handle, key) }
  }

  return {
    async send(
      target: ExchangeContext,
      { previousHandle, previousUnanswered, ...send }: Omit<CodeSend, 'signal'>,
    ): Promise<ExchangeResult<SendResult>> {
      const previous = opened(previousHandle, target)
      const order = {
        signal: neverAborted,
        ...send,
        ...(previous !== undefined && { previousHandle: previous }),
        ...(previous !== undefined && previousUnanswered && { previousUnanswered }),
      }
      const { provider, lastFacts } = withDeadlines(target)
      const sent = await provider.sendCode(order)
      return { result: sealed(sent, target), ...lastFacts() }
    },
    async check(
      target: ExchangeContext,
      { handle: kept, earlierHandles = [], ...check }: Omit<CodeCheck, 'signal'>,
    ): Promise<ExchangeResult<Verdict>> {
      const handle = opened(kept, target)
      // The handle was sealed for another number, or under a secret that was removed.
      if (kept !== undefined && handle === undefined) return { result: 'unavailable', fields: {} }
      const earlier = earlierHandles.flatMap((one) => opened(one, target) ?? [])
      const submitted = {
        signal: neverAborted,
        ...check,
        ...(handle !== undefined && { handle }),
        ...(earlier.length > 0 && { earlierHandles: earlier }),
      }
      const { provider, lastFacts } = withDeadlines(target)
      // The wrappers return known verdicts only. A composite of the app may return any value, or throw.
      const verdict = await (async () => provider.checkCode(submitted))().then(readVerdict, () =>
        readVerdict(undefined),
      )
      return { result: verdict, ...lastFacts() }
    },
  }
}

/** Placeholder: each wrapper passes its own signal to the provider. */
const neverAborted = new AbortController().signal
