import { tracingChannel } from 'node:diagnostics_channel'
import type { AboutExchange, Emit } from '../events.js'
import { minuteMs } from '../lib/time.js'
import { traced } from '../lib/tracing.js'
import { type Asker, type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.js'
import type {
  Channel,
  CodeCheck,
  CodeProvider,
  CodeSend,
  CompositeProvider,
  SendResult,
  Verdict,
} from './code-provider.js'
import { type Refusal, refused } from './commands.js'
import { aboutReport, checkWithin, type Reported, reporter, sendWithin, type Unsigned } from './exchange.js'
import type { Limits } from './limits.js'
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
  /** The refusal while no provider may be asked about this number; called before anything is booked or reserved. */
  refusal(target: Asker): Refusal | undefined
  /** Milliseconds until somebody may be asked about; undefined while a provider is not paused at all. */
  pausedForMs(): number | undefined
  send(target: Asker, send: Unsigned<CodeSend>): Promise<Dispatched>
  check(target: Asker, check: Unsigned<CodeCheck>): Promise<Checked>
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
  function guarded(target: Asker, note: (exchanged: Exchanged<unknown>) => void): CodeProvider {
    const startedAt = performance.now()
    let waiting = members.length

    const guards = members.map((member): CodeProvider => {
      const capped = (ms: number) => Math.min(ms, member.provider.timeoutMs ?? ms)
      return {
        async sendCode(send) {
          const leftMs = startedAt + limits.sendTimeoutMs - performance.now()
          // A provider that cannot be reached must leave the next one time to send.
          const shareMs = leftMs / waiting
          waiting -= 1
          const exchanged = shareMs < 1 ? undefined : await member.send(target, capped(shareMs), send)
          if (exchanged === undefined) return { result: 'not-sent' }
          note(exchanged)
          return exchanged.result
        },
        async checkCode(check) {
          const exchanged = await member.check(target, capped(limits.verifyTimeoutMs), check)
          if (exchanged === undefined) return 'not-sent'
          note(exchanged)
          return exchanged.result
        },
      }
    })
    return isComposite(provider) ? provider.over(guards) : (guards.at(0) as CodeProvider)
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
  function sealed(sent: SendResult, { key }: Asker): SendResult {
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

// ── one provider ─────────────────────────────────────────────────────────────────────────────────

/** The context of the tracing channels `express-two-factor:send` and `:check`: no code and no number. */
export interface ExchangeTrace extends AboutExchange {
  /** `auth` for numbers on file, `enrol` for a phone verification. */
  readonly lane: Asker['lane']
  /** How the code travels; at a send only. */
  readonly channel?: Channel
  /** What the code is for; at a send only. */
  readonly purpose?: string
  /** What became of it, once it is known. */
  result?: SendResult['result'] | Verdict
}

const sendTraces = tracingChannel<unknown, ExchangeTrace>('express-two-factor:send')
const checkTraces = tracingChannel<unknown, ExchangeTrace>('express-two-factor:check')

/** One provider behind its deadline and its breaker, whose exchanges are timed, traced and reported. */
interface Member {
  readonly provider: CodeProvider
  readonly breaker: CircuitBreaker
  /** Both resolve with nothing, unasked, while the breaker lets nobody through. */
  send(target: Asker, ms: number, send: Unsigned<CodeSend>): Promise<Exchanged<SendResult> | undefined>
  check(target: Asker, ms: number, check: Unsigned<CodeCheck>): Promise<Exchanged<Verdict> | undefined>
}

interface Exchanged<Result> {
  readonly result: Result
  readonly about: AboutExchange
  /** Asks what became of the message; absent when the provider named none. */
  readonly askState?: AskState | undefined
}

function createMember(
  provider: CodeProvider,
  parts: { readonly now: () => number; readonly emit: Emit },
): Member {
  const { now, emit } = parts
  const by = provider.name === undefined ? {} : { provider: provider.name }
  const breaker = createCircuitBreaker({ ...parts, ...by })
  let unexpectedAt = Number.NEGATIVE_INFINITY
  let givesHandles = false

  /** Once a minute: an account may answer each wrong code with a status of its own. */
  function noteUnexpected({ unexpectedStatus: status }: Reported, about: AboutExchange): void {
    // By its distance: a clock that was set back must not silence it.
    if (status === undefined || Math.abs(now() - unexpectedAt) < minuteMs) return
    unexpectedAt = now()
    emit({ type: 'provider.unexpected', status, ...about })
  }

  function askStateOf(id: string | undefined): AskState | undefined {
    const messageState = provider.messageState?.bind(provider)
    if (id === undefined || messageState === undefined) return undefined
    return async (signal) => messageState({ id, signal })
  }

  const since = (startedAt: number) => Math.max(0, now() - startedAt)

  return {
    provider,
    breaker,
    async send(target, ms, send) {
      const note = breaker.admit(target)
      if (note === undefined) return undefined
      const { channel, purpose } = send
      return traced(
        sendTraces,
        () => ({ lane: target.lane, channel, purpose, ...by }),
        async (trace) => {
          const { reported, report } = reporter()
          const startedAt = now()
          const sent = await sendWithin(ms, provider, { ...send, report })
          const about = { ...by, durationMs: since(startedAt), ...aboutReport(reported) }
          if ('handle' in sent) givesHandles = true
          if (trace !== undefined) Object.assign(trace, about, { result: sent.result })
          note({ command: 'send', result: sent.result, about, unasked: reported.asked === false })
          return { result: sent, about, askState: askStateOf(reported.messageId) }
        },
      )
    },
    async check(target, ms, check) {
      const note = breaker.admit(target)
      if (note === undefined) return undefined
      return traced(
        checkTraces,
        () => ({ lane: target.lane, ...by }),
        async (trace) => {
          const { reported, report } = reporter()
          let spoke = false
          const answered = () => {
            spoke = true
          }
          const startedAt = now()
          const result = await checkWithin(ms, provider, { ...check, answered, report })
          const about = { ...by, durationMs: since(startedAt), ...aboutReport(reported) }
          if (trace !== undefined) Object.assign(trace, about, { result })
          // Denial of service: a code typed while its send is under way has no handle yet, and says nothing of the service.
          const isEarly = givesHandles && check.handle === undefined && result === 'unavailable'
          const unasked = reported.asked === false || isEarly
          note({ command: 'check', result, about, answered: spoke, unasked })
          noteUnexpected(reported, about)
          return { result, about }
        },
      )
    },
  }
}
