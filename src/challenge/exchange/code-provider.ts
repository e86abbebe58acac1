import type { Finding } from '../../store/store.js'
import type { Lane } from '../limits.js'

export type { Finding }

/** How a code travels, by the name of a provider's method: `sms`, `call`, `whatsapp` or another; `app`: not at all. */
export type Channel = 'sms' | 'call' | 'app' | (string & Record<never, never>)

/** A way in which a provider sends codes to a phone number. */
export interface Method {
  /** As in the option `channels`, such as `whatsapp`: 1 to 32 letters, digits, dots, hyphens or underscores. */
  readonly name: Channel
  /** What people call it, such as `WhatsApp`; `pages.messages` may name it otherwise. Default: its name. */
  readonly label?: string | undefined
}

/** What the person is shown of the action that the code confirms, such as amount and payee. */
export interface Details {
  /** Such as `Transfer`. */
  readonly title?: string
  /** Label and value, at most 12 rows. */
  readonly rows: readonly (readonly [label: string, value: string])[]
  /** What the button is called that posts a kept form, such as `Transfer`. */
  readonly action?: string
}

/** What came back from the service, for events and traces. It must not hold a key, a code or a number. */
export interface ExchangeReport {
  /** The service's id of the message that was sent, at most 200 characters, for the event `challenge.sent`. */
  readonly messageId?: string | undefined
  /** What was asked, such as `sendSmsCode`. */
  readonly operation?: string | undefined
  /** HTTP status of the response, if one came. */
  readonly httpStatus?: number | undefined
  /** The service's own error. */
  readonly providerError?: string | undefined
  /** Why there was no success, in one word such as `timeout`. */
  readonly reason?: string | undefined
  /** What is wrong and what to do about it, in a sentence or two without values. */
  readonly cause?: string | undefined
  /** `false`: the service was not asked, as when the adapter judges codes by itself. */
  readonly asked?: boolean | undefined
  /** The status of a complete answer that is neither an error nor one of the approved statuses. */
  readonly unexpectedStatus?: string | undefined
}

/** What the codes of an app depend on, as far as its options say. */
export interface InspectedApp {
  /** By purpose, as in the option `appName`. */
  readonly appNames: Readonly<Record<string, string>>
  /** Language tags that its pages may have, such as `es`. */
  readonly locales: readonly string[]
}

/** One code to be sent. */
export interface CodeSend {
  /** E.164. */
  readonly destination: string
  /** How the code is to travel. */
  readonly channel: Channel
  /** How it may travel as well, where it cannot by `channel`: what else the request for it accepts. */
  readonly channels?: readonly Channel[] | undefined
  /** Whether the number is on file (`auth`), or has yet to be proven (`enrol`). */
  readonly lane?: Lane | undefined
  /** The name under which the provider files the code; the same one at send and at check. */
  readonly appName: string
  /** What the code is for, such as `login`. */
  readonly purpose: string
  /** Language tag of the pages that this person sees, such as `es`. */
  readonly locale: string
  /** What the code confirms, for a message that says so. */
  readonly details?: Details | undefined
  /** After this the code is not accepted, whatever lifetime the provider gives it. */
  readonly expiresInMs: number
  /**
   * Handle of the last code to this number that may still live. A service that takes one code of a number at a time has it
   * cancelled first, by the adapter itself and within the deadline; a failure of that stops nothing.
   */
  readonly previousHandle?: string | undefined
  /** Aborted when a response would be too late to use. */
  readonly signal: AbortSignal
  /** Takes what came back, before the method returns. Optional to call. */
  readonly report?: ((report: ExchangeReport) => void) | undefined
}

/** One code as the person typed it. */
export interface CodeCheck {
  /** The number that the code was sent to, in E.164. */
  readonly destination: string
  /** The same as at the send. */
  readonly appName: string
  /** As the person typed it, without spaces and hyphens. */
  readonly code: string
  /** What the send returned, exactly as it was; absent when it returned none. */
  readonly handle?: string | undefined
  /** What the code confirms, as at the send. */
  readonly details?: Details | undefined
  /** Aborted when a verdict would be too late to use. */
  readonly signal: AbortSignal
  /** Takes what came back, before the method returns. Optional to call. */
  readonly report?: ((report: ExchangeReport) => void) | undefined
}

/**
 * What became of a send.
 * - `sent`: the provider took it.
 * - `unconfirmed`: the response was lost, the code may arrive.
 * - `failed`: a complete response that is a refusal.
 * - `foreign-number`: the response names another number or more than one. The challenge is void.
 * - `not-sent`: provably nothing left this machine.
 * - `misconfigured`: the provider refuses our account.
 */
export type SendResult = (
  | {
      /** What became of the send. */
      readonly result: 'sent' | 'unconfirmed'
      /** How long the code lives, when the provider states it. */
      readonly lifetimeMs?: number
      /**
       * Whatever the provider needs back at the check: opaque, at most 200 characters. It is kept with the
       * challenge and never shown, and it must not reveal the code.
       */
      readonly handle?: string
      /**
       * The service finds the code by its number: the handle does not tell it from one that is sent there for another
       * account. As without a handle, such a one ends this challenge.
       */
      readonly byNumber?: true
      /** How the code travelled, where that is another of its `methods` than asked for. */
      readonly channel?: Channel
      /** The number gets this code each time, by the host's own word: it is accepted again, once with each challenge. */
      readonly fixed?: true
    }
  | {
      /** What became of the send. */
      readonly result: 'failed' | 'foreign-number' | 'not-sent' | 'misconfigured'
    }
) & {
  /** The code of `previousHandle` was ended at the service: it is not accepted again, even where this one was not sent. */
  readonly cancelled?: true
}

/**
 * What the provider's response to a code means. Everything that is not clearly an approval is a refusal.
 * - `unavailable`: a response without a verdict, or none. The attempt stays spent.
 * - `not-sent`: provably nothing left this machine, so the attempt comes back. Also where the handle was not there yet,
 *   or another provider's, and nothing was compared.
 */
export type Verdict = 'approved' | 'rejected' | 'misconfigured' | 'unavailable' | 'not-sent'

/**
 * The port to any service that sends codes and checks them. Neither method needs to reject: what rejects,
 * hangs or returns anything else counts as `unconfirmed` at a send and as `unavailable` at a check.
 *
 * @example
 * const provider: CodeProvider = {
 *   name: 'acme-sms',
 *   async sendCode({ destination, signal }) {
 *     const { ok, id } = await acme.send(destination, { signal })
 *     return ok ? { result: 'sent', handle: id } : { result: 'failed' }
 *   },
 *   async checkCode({ handle, code, signal }) {
 *     const { status } = await acme.check(handle, code, { signal })
 *     return status === 'right' ? 'approved' : status === 'wrong' ? 'rejected' : 'unavailable'
 *   },
 * }
 */
export interface CodeProvider {
  /** Names it in events. */
  readonly name?: string | undefined
  /** Deadline of each send and each check, in milliseconds. Default: 10 s for a send, 8 s for a check. */
  readonly timeoutMs?: number | undefined
  /**
   * How many of its exchanges may be under way at once; 64. Sign-ups have half of them. Who finds none free waits at most
   * a fifth of the deadline, checks before sends, and is then told that nothing was sent.
   */
  readonly maxExchanges?: number | undefined
  /** How its codes can travel, for the option `channels`. Default: `sms` and `call`. */
  readonly methods?: readonly Method[] | undefined
  /** Sends one code. Called once per code: a repeated send costs money and may replace the code. */
  sendCode(send: CodeSend): Promise<SendResult>
  /** Checks one code. Called once per attempt. */
  checkCode(check: CodeCheck): Promise<Verdict>
  /** Credits left, for the self-test. Rejects when the account cannot be asked. */
  balance?(): Promise<{ readonly credits?: number | undefined }>
  /** What is wrong with the provider's own settings, for `tf.selfTest()`. */
  inspect?(app: InspectedApp): Promise<readonly Finding[]>
  /** Frees connections. Called by `tf.close()`. */
  close?(): Promise<void>
}

/** How many exchanges of one provider may be under way at once, unless it says otherwise. */
export const defaultMaxExchanges = 64

/** A provider made of several. Each of them gets its own deadline and its own queue. */
export interface CompositeProvider extends CodeProvider {
  /** The providers it is made of, in their order. */
  readonly members: readonly CodeProvider[]
  /** The same composition over members that were wrapped, in the same order. */
  withMembers(members: readonly CodeProvider[]): CodeProvider
}

/** The providers that a composite is made of, or the one itself. */
export function membersOf(provider: CodeProvider | CompositeProvider): readonly CodeProvider[] {
  return 'withMembers' in provider ? provider.members : [provider]
}

/** Whether this names a way of proving who one is, such as `passkey`: a grant holds one, a guard asks for some. */
export function isMethodName(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.-]{1,32}$/.test(value)
}

/** What {@link isMethodName} asks for, as the end of the sentence "method …". */
export const methodNameRule =
  "must be 1 to 32 letters, digits, dots, hyphens or underscores, such as 'passkey'"

/** The method of an authenticator app: nothing is sent, and no provider is asked. */
export const appMethod = 'app'

/** What proves who somebody is, where this package has verified it: no method of a provider, and no word of the host's. */
export const proofKinds = ['code', appMethod, 'trusted-device', 'recovery-code'] as const

/** What a code proves by that travelled so. */
export const kindOf = (channel: Channel): 'code' | 'app' => (channel === appMethod ? appMethod : 'code')

/** The methods of a provider that declares none: those of the provider's interface. */
export const interfaceMethods = [{ name: 'sms' }, { name: 'call' }] as const

/** Whether this is one of these methods, by its name. */
export const isOneOf = (methods: readonly { readonly name: string }[], name: unknown): name is string =>
  methods.some((method) => method.name === name)
