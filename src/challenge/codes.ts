import type { AboutExchange, Emit } from '../events.js'
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
import type { Unsigned } from './provider-deadline.js'
import { type Asked, createMember, type Exchanged, type Member } from './provider-member.js'
import type { Secrets } from './secrets.js'
import type { AskState } from './watch/delivery-watch.js'

/** What became of a send, and what is known about the provider that was asked last. */
export interface Dispatched {
  readonly sent: SendResult
  readonly about: AboutExchange
  readonly askState?: AskState | undefined
}

/** A verdict, and what is known about the provider that gave it. */
export interface Checked {
  readonly verdict: Verdict
  readonly about: AboutExchange
}

/** The code provider as the use cases see it: within deadlines, behind breakers. Neither method rejects. */
export interface Codes {
  /** The refusal while no provider can be asked; called before anything is booked or reserved. */
  refusal(): Refusal | undefined
  send(target: Asked, send: Unsigned<CodeSend>): Promise<Dispatched>
  check(target: Asked, check: Unsigned<CodeCheck>): Promise<Checked>
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
  const members: readonly Member[] = membersOf(provider).map((member) => createMember(member, { now, emit }))

  /** The provider for one exchange: each member guarded, and noted when it was asked. */
  function guarded(target: Asked, note: (exchanged: Exchanged<unknown>) => void): CodeProvider {
    const startedAt = performance.now()
    let waiting = members.length

    const guards = members.map((member): CodeProvider => {
      const paused = () => member.breaker.refusal() !== undefined
      const capped = (ms: number) => Math.min(ms, member.provider.timeoutMs ?? ms)
      return {
        async sendCode(send) {
          const leftMs = startedAt + limits.sendTimeoutMs - performance.now()
          // A provider that cannot be reached must leave the next one time to send.
          const shareMs = leftMs / waiting
          waiting -= 1
          if (paused() || shareMs < 1) return { result: 'not-sent' }
          const exchanged = await member.send(target, capped(shareMs), send)
          note(exchanged)
          return exchanged.result
        },
        async checkCode(check) {
          if (paused()) return 'not-sent'
          const exchanged = await member.check(target, capped(limits.verifyTimeoutMs), check)
          note(exchanged)
          return exchanged.result
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
      let last: Omit<Exchanged<unknown>, 'result'> = { about: {} }
      const asked = guarded(target, (exchanged) => {
        last = exchanged
      })
      const sent = await asked.sendCode({ ...send, signal: unused })
      return { sent: sealed(sent, target), about: last.about, askState: last.askState }
    },
    async check(target, { handle: kept, ...check }) {
      const handle = kept === undefined ? undefined : secrets.open('handle', kept, target.key)
      // Sealed for another number, or under a secret that was removed: it cannot be opened.
      if (kept !== undefined && handle === undefined) return { verdict: 'unavailable', about: {} }
      const opened = handle === undefined ? check : { ...check, handle }
      let about: AboutExchange = {}
      const asked = guarded(target, (last) => {
        about = last.about
      })
      const verdict = await asked.checkCode({ ...opened, signal: unused })
      return { verdict, about }
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
