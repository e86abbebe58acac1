import type { Emit } from '../events.js'
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.js'
import type {
  CodeCheck,
  CodeProvider,
  CodeSend,
  CompositeProvider,
  SendResult,
  Verdict,
} from './code-provider.js'
import type { Refusal } from './commands.js'
import type { Limits } from './limits.js'
import { checkWithin, sendWithin, type Unsigned } from './provider-deadline.js'
import type { Secrets } from './secrets.js'
import type { Target } from './targets.js'

type Asked = Pick<Target, 'lane' | 'key'>

/** What became of a send, and who was asked last. */
export interface Dispatched {
  readonly sent: SendResult
  readonly provider?: string
}

/** The code provider as the use cases see it: within deadlines, behind breakers. Neither method rejects. */
export interface Codes {
  /** The refusal while no provider can be asked; called before anything is booked or reserved. */
  refusal(): Refusal | undefined
  send(target: Asked, send: Unsigned<CodeSend>): Promise<Dispatched>
  check(target: Asked, check: Unsigned<CodeCheck>): Promise<Verdict>
}

interface Member {
  readonly provider: CodeProvider
  readonly breaker: CircuitBreaker
}

/** Every provider that a composite is made of has a breaker of its own and its share of the deadline. */
export function createCodes(parts: {
  readonly provider: CodeProvider | CompositeProvider
  readonly limits: Pick<Limits, 'sendTimeoutMs' | 'verifyTimeoutMs'>
  readonly secrets: Pick<Secrets, 'seal' | 'open'>
  readonly now: () => number
  readonly emit: Emit
}): Codes {
  const { provider, limits, secrets, now, emit } = parts
  const members: readonly Member[] = membersOf(provider).map((member) => ({
    provider: member,
    breaker: createCircuitBreaker({ now, emit, ...named(member) }),
  }))

  /** The provider for one exchange: each member guarded, and noted when it is asked. */
  function guarded(target: Asked, note: (member: CodeProvider) => void): CodeProvider {
    const { lane, key } = target
    const startedAt = performance.now()
    let waiting = members.length

    const guards = members.map(({ provider: member, breaker }): CodeProvider => {
      const paused = () => breaker.refusal() !== undefined
      const capped = (ms: number) => Math.min(ms, member.timeoutMs ?? ms)
      return {
        async sendCode(send) {
          const leftMs = startedAt + limits.sendTimeoutMs - performance.now()
          // A provider that cannot be reached must leave the next one time to send.
          const shareMs = leftMs / waiting
          waiting -= 1
          if (paused() || shareMs < 1) return { result: 'not-sent' }
          note(member)
          const sent = await sendWithin(capped(shareMs), member, send)
          breaker.note({ command: 'send', result: sent.result, lane, key })
          return sent
        },
        async checkCode(check) {
          if (paused()) return 'not-sent'
          let spoke = false
          const answered = () => {
            spoke = true
          }
          const asked = { ...check, answered }
          const result = await checkWithin(capped(limits.verifyTimeoutMs), member, asked)
          breaker.note({ command: 'check', result, lane, key, answered: spoke })
          return result
        },
      }
    })
    return isComposite(provider) ? provider.over(guards) : (guards.at(0) as CodeProvider)
  }

  return {
    refusal() {
      const refusals = members.map(({ breaker }) => breaker.refusal())
      if (refusals.includes(undefined)) return undefined
      const waitOf = (refusal: Refusal | undefined) => Number(refusal?.retryAfterMs)
      return refusals.reduce((one, other) => (waitOf(other) < waitOf(one) ? other : one))
    },
    async send(target, send) {
      let last: CodeProvider | undefined
      const asked = guarded(target, (member) => {
        last = member
      })
      const sent = await asked.sendCode({ ...send, signal: unused })
      return { sent: sealed(sent, target), ...named(last) }
    },
    async check(target, { handle: kept, ...check }) {
      const handle = kept === undefined ? undefined : secrets.open('handle', kept, target.key)
      // Sealed for another number, or under a secret that was removed: it cannot be opened.
      if (kept !== undefined && handle === undefined) return 'unavailable'
      const opened = handle === undefined ? check : { ...check, handle }
      return guarded(target, () => {}).checkCode({ ...opened, signal: unused })
    },
  }

  /** Sealed, so that a reader of the store learns nothing about the code at the provider. */
  function sealed(sent: SendResult, { key }: Asked): SendResult {
    if (!('handle' in sent) || sent.handle === undefined) return sent
    return { ...sent, handle: secrets.seal('handle', sent.handle, key) }
  }
}

/** Each guard hands its provider a signal of its own. */
const unused = new AbortController().signal

function isComposite(provider: CodeProvider | CompositeProvider): provider is CompositeProvider {
  return 'over' in provider
}

function membersOf(provider: CodeProvider | CompositeProvider): readonly CodeProvider[] {
  return isComposite(provider) ? provider.members : [provider]
}

function named(provider: CodeProvider | undefined): { readonly provider?: string } {
  return provider?.name === undefined ? {} : { provider: provider.name }
}
