import type { Emit } from '../events.js'
import type { Asker } from './circuit-breaker.js'
import {
  type CodeCheck,
  type CodeProvider,
  type CodeSend,
  type CompositeProvider,
  membersOf,
  type SendResult,
  type Verdict,
} from './code-provider.js'
import { type Refusal, refused } from './commands.js'
import { createMember, type Exchanged } from './exchange.js'
import type { Secrets } from './keys.js'
import type { Limits } from './limits.js'

/** The code provider as the use cases see it: within deadlines, behind breakers. Neither method rejects. */
export interface Codes {
  /** The refusal while no provider may be asked about this number; called before anything is booked or reserved. */
  refusal(target: Asker): Refusal | undefined
  /** Milliseconds until somebody may be asked about; undefined while a provider is not paused at all. */
  pausedForMs(): number | undefined
  send(target: Asker, send: Omit<CodeSend, 'signal'>): Promise<Exchanged<SendResult>>
  check(target: Asker, check: Omit<CodeCheck, 'signal'>): Promise<Exchanged<Verdict>>
}

/** Every provider that a composite is made of has a breaker of its own and its share of the deadline. */
export function createCodes(parts: {
  readonly provider: CodeProvider | CompositeProvider
  readonly limits: Pick<Limits, 'sendTimeoutMs' | 'verifyTimeoutMs'>
  readonly secrets: Pick<Secrets, 'seal' | 'open'>
  readonly now: () => number
  readonly emit: Emit
}): Codes {
  const { provider, limits, secrets } = parts
  const composite = 'over' in provider ? provider : undefined
  const members = membersOf(provider).map((member) => createMember(member, parts))

  /** The provider for one exchange: each member behind its guard, which notes what is known of the one asked last. */
  function guarded(target: Asker) {
    const startedAt = performance.now()
    let waiting = members.length
    let last: Omit<Exchanged<unknown>, 'result'> = { about: {} }

    function noted<Result>({ result, about, askState, cancelled }: Exchanged<Result>): Result {
      last = { about, askState, cancelled: last.cancelled || cancelled }
      return result
    }

    const guards = members.map((member): CodeProvider => {
      const capped = (ms: number) => Math.min(ms, member.provider.timeoutMs ?? ms)
      return {
        async sendCode(send) {
          const leftMs = startedAt + limits.sendTimeoutMs - performance.now()
          // A provider that cannot be reached must leave the next one time to send.
          const shareMs = leftMs / Math.max(waiting, 1)
          waiting -= 1
          const exchanged = shareMs < 1 ? undefined : await member.send(target, capped(shareMs), send)
          return exchanged === undefined ? { result: 'not-sent' } : noted(exchanged)
        },
        async checkCode(check) {
          const exchanged = await member.check(target, capped(limits.verifyTimeoutMs), check)
          return exchanged === undefined ? 'not-sent' : noted(exchanged)
        },
      }
    })
    return { asked: composite?.over(guards) ?? (guards.at(0) as CodeProvider), known: () => last }
  }

  function opened(handle: string | undefined, { key }: Asker): string | undefined {
    return handle === undefined ? undefined : secrets.open('handle', handle, key)
  }

  /** Sealed, so that a reader of the store learns nothing about the code at the provider. */
  function sealed(sent: SendResult, { key }: Asker): SendResult {
    if (!('handle' in sent) || sent.handle === undefined) return sent
    return { ...sent, handle: secrets.seal('handle', sent.handle, key) }
  }

  return {
    refusal(target) {
      const waitMs = Math.min(...members.map(({ breaker }) => breaker.waitMs(target)))
      return waitMs > 0 ? refused('provider_unavailable', waitMs) : undefined
    },
    pausedForMs() {
      const paused = members.flatMap(({ breaker }) => breaker.pausedForMs() ?? [])
      return paused.length < members.length ? undefined : Math.min(...paused)
    },
    async send(target, { previousHandle, ...send }) {
      const previous = opened(previousHandle, target)
      const order = { signal: unused, ...send, ...(previous !== undefined && { previousHandle: previous }) }
      const { asked, known } = guarded(target)
      const sent = await asked.sendCode(order)
      return { result: sealed(sent, target), ...known() }
    },
    async check(target, { handle: kept, ...check }) {
      const handle = opened(kept, target)
      // Sealed for another number, or under a secret that was removed: it cannot be opened.
      if (kept !== undefined && handle === undefined) return { result: 'unavailable', about: {} }
      const submitted = { signal: unused, ...check, ...(handle !== undefined && { handle }) }
      const { asked, known } = guarded(target)
      return { result: await asked.checkCode(submitted), ...known() }
    },
  }
}

/** Each guard hands its provider a signal of its own. */
const unused = new AbortController().signal
