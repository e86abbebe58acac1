import type { Finding } from '../../store/store.js'
import type { Lane } from '../limits.js'

export type { Finding }

/** Name of a provider's method: `sms`, `call`, `whatsapp` or another. `app` and `passkey` send nothing. */
export type Channel = 'sms' | 'call' | 'app' | 'passkey' | (string & Record<never, never>)

/** A method by which a provider sends codes. */
export interface Method {
  /** Name for the option `channels`, such as `whatsapp`: 1 to 32 letters, digits, dots, hyphens or underscores. */
  readonly name: Channel
  /** Name for users, such as `WhatsApp`. `pages.messages` can replace it (`method.whatsapp`). Default: `name`. */
  readonly label?: string | undefined
}

/** Details of the action that a code confirms, such as amount and payee (dynamic linking, PSD2). */
export interface Details {
  /** For example `Transfer`. */
  readonly title?: string
  /** Labels and values, at most 12 rows. */
  readonly rows: readonly (readonly [label: string, value: string])[]
  /** Label of the button that posts a saved form, such as `Transfer`. */
  readonly action?: string
}

/** Facts about the service's response, for events and traces. It must not contain a key, a code or a number. */
export interface ExchangeReport {
  /** The service's id of the sent message, at most 200 characters, for the event `challenge.sent`. */
  readonly messageId?: string | undefined
  /** Name of the operation, such as `sendSmsCode`. */
  readonly operation?: string | undefined
  /** HTTP status of the response. Absent without a response. */
  readonly httpStatus?: number | undefined
  /** The service's own error. */
  readonly providerError?: string | undefined
  /** Reason of the failure in one word, such as `timeout`. */
  readonly reason?: string | undefined
  /** Problem and fix in one or two sentences, without values. */
  readonly cause?: string | undefined
  /** `false` if no request was made, as when the adapter checks codes itself. */
  readonly asked?: boolean | undefined
  /** Status of a complete response that is neither an error nor an approved status. */
  readonly unexpectedStatus?: string | undefined
}

/** Options of an app that its codes depend on. */
export interface InspectedApp {
  /** App-names by purpose, as in the option `appName`. */
  readonly appNames: Readonly<Record<string, string>>
  /** Language tags of its pages, such as `es`. */
  readonly locales: readonly string[]
}

/** A code to send. */
export interface CodeSend {
  /** The number in E.164. */
  readonly destination: string
  /** Method for the code. */
  readonly channel: Channel
  /** Other methods that the request accepts if `channel` is not possible. */
  readonly channels?: readonly Channel[] | undefined
  /** `auth` if the number is on file, `enrol` if it is being verified. */
  readonly lane?: Lane | undefined
  /** The provider's app-name, equal at send and check. */
  readonly appName: string
  /** Purpose of the code, such as `login`. */
  readonly purpose: string
  /** Language tag of the user's pages, such as `es`. */
  readonly locale: string
  /** Details that the code confirms, for a message that contains them. */
  readonly details?: Details | undefined
  /** Milliseconds after which the code is not accepted, whatever lifetime the provider gives it. */
  readonly expiresInMs: number
  /**
   * Handle of the last code to this number that may still be valid. For a service with one code per number, the adapter
   * cancels it first and within the deadline. A failed cancellation stops nothing.
   */
  readonly previousHandle?: string | undefined
  /**
   * True if the send that returned `previousHandle` got no response, or a check of its code no verdict. A `failover`
   * then uses the next member.
   */
  readonly previousUnanswered?: boolean | undefined
  /** Aborted when a response would be too late. */
  readonly signal: AbortSignal
  /** Receives facts about the response before the method returns. Calling it is optional. */
  readonly report?: ((report: ExchangeReport) => void) | undefined
}

/** A code to check. */
export interface CodeCheck {
  /** The number to which the code was sent, in E.164. */
  readonly destination: string
  /** The app-name of the send. */
  readonly appName: string
  /** The submitted code without spaces and hyphens. */
  readonly code: string
  /** Handle that the send returned, unchanged. Absent if it returned none. */
  readonly handle?: string | undefined
  /** Handles of the last earlier codes of the same challenge, for the verdict `replaced`. */
  readonly earlierHandles?: readonly string[] | undefined
  /** Details that the code confirms, as at the send. */
  readonly details?: Details | undefined
  /** Aborted when a verdict would be too late. */
  readonly signal: AbortSignal
  /** Receives facts about the response before the method returns. Calling it is optional. */
  readonly report?: ((report: ExchangeReport) => void) | undefined
}

/**
 * Result of a send.
 * - `sent`: the provider took it.
 * - `unconfirmed`: the response was lost, the code may arrive.
 * - `failed`: a complete response that is a refusal.
 * - `foreign-number`: the response names another number or more than one. The challenge is void.
 * - `not-sent`: provably nothing left this machine.
 * - `misconfigured`: the provider refuses our account.
 * - `later`: the provider sends nothing for now, because of its own limit (429) or because it is busy with this number. The
 *   account waits for this factor, then may ask again.
 */
export type SendResult = (
  | {
      /** Outcome of the send. */
      readonly result: 'sent' | 'unconfirmed'
      /** Lifetime of the code in milliseconds, if the provider states it. */
      readonly lifetimeMs?: number
      /**
       * The provider's id of the verification (Twilio: Verification SID), at most 200 characters. It is stored with the
       * challenge, passed to the check, and never shown. It must not reveal the code.
       */
      readonly handle?: string
      /**
       * The service finds the code by its number: the handle does not tell it from one that is sent there for another
       * account. As without a handle, such a one ends this challenge.
       */
      readonly byNumber?: true
      /** Method by which the code was sent, if it is another one of `methods` than requested. */
      readonly channel?: Channel
      /** The number always receives this code, as your app configured it. It is accepted again, once per challenge. */
      readonly fixed?: true
    }
  | {
      /** Outcome of the send. */
      readonly result: 'failed' | 'foreign-number' | 'not-sent' | 'misconfigured'
    }
  | {
      /** Nothing was sent. */
      readonly result: 'later'
      /** Milliseconds to wait, if the provider states them. 5 s to 5 min are used; 30 s without it. */
      readonly retryAfterMs?: number
      /** The response may come from a gateway, not from the service. A `failover` then sends by no other member. */
      readonly unrecognized?: true
    }
) & {
  /**
   * The service has cancelled the code of `previousHandle`. That code is not accepted again, even if this send failed.
   */
  readonly cancelled?: true
}

/**
 * Meaning of the provider's response to a code. Everything that is not clearly an approval is a refusal.
 * - `unavailable`: a response without a verdict, or none. The attempt stays spent.
 * - `over`: no code can be correct any more, because the verification has ended at the service. The challenge ends, the
 *   attempt stays used, and it does not count as a wrong code.
 * - `replaced`: the code belongs to one of `earlierHandles`, so it is no guess. The attempt comes back, for as many codes
 *   as there are handles; with the profile `psd2` it stays used.
 * - `not-sent`: provably nothing left this machine, so the attempt comes back. Also where the handle was not there yet,
 *   or another provider's, and nothing was compared.
 */
export type Verdict =
  | 'approved'
  | 'rejected'
  | 'replaced'
  | 'over'
  | 'misconfigured'
  | 'unavailable'
  | 'not-sent'

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
  /** Name in events. */
  readonly name?: string | undefined
  /** Deadline of each send and each check, in milliseconds. Default: 10 s for a send, 8 s for a check. */
  readonly timeoutMs?: number | undefined
  /**
   * Maximum of concurrent requests to it. Default 64. A quarter of them, at least one, is reserved for checks of sign-ins;
   * sign-ups use at most half. A request without a free slot waits at most a fifth of the deadline, checks before sends, and
   * then fails as not sent.
   */
  readonly maxExchanges?: number | undefined
  /**
   * True if a check accepts only the code of its own challenge: each handle identifies one send, or a new code ends the
   * earlier ones to the same number. Default: false, and a purpose whose guards `bind` fields then needs an `appName` of
   * its own.
   */
  readonly tellsCodesApart?: boolean | undefined
  /** Methods of the provider, for the option `channels`. Default: `sms` and `call`. */
  readonly methods?: readonly Method[] | undefined
  /** Sends one code. It is called once per code, because a repeated send costs money and may replace the code. */
  sendCode(send: CodeSend): Promise<SendResult>
  /** Checks one code. It is called once per attempt. */
  checkCode(check: CodeCheck): Promise<Verdict>
  /** Returns the remaining credits, for the self-test. Rejects if the service gives no response. */
  balance?(): Promise<{ readonly credits?: number | undefined }>
  /** Returns problems of the provider's own settings, for `tf.selfTest()`. */
  inspect?(app: InspectedApp): Promise<readonly Finding[]>
  /** Closes connections. `tf.close()` calls it. */
  close?(): Promise<void>
}

/** Default maximum of concurrent requests to one provider. */
export const defaultMaxExchanges = 64

/** A provider that consists of several. Each member has its own deadline and queue. */
export interface CompositeProvider extends CodeProvider {
  /** The member providers in their order. */
  readonly members: readonly CodeProvider[]
  /** Returns this composition over wrapped members in the same order. */
  withMembers(members: readonly CodeProvider[]): CodeProvider
}

/** Returns the members of a composite, or the provider itself. */
export function membersOf(provider: CodeProvider | CompositeProvider): readonly CodeProvider[] {
  return 'withMembers' in provider ? provider.members : [provider]
}

/**
 * Returns whether a value can name a factor, such as `passkey`. A grant contains such a name, and a guard accepts some.
 */
export function isMethodName(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.-]{1,32}$/.test(value)
}

/** The rule of {@link isMethodName}, as the end of the sentence "method …". */
export const methodNameRule =
  "must be 1 to 32 letters, digits, dots, hyphens or underscores, such as 'passkey'"

/** Method of an authenticator app. Nothing is sent, and no provider is involved. */
export const appMethod = 'app'

/** Method of a passkey: the browser signs the challenge. It is reserved with the option `passkeys` only. */
export const passkeyMethod = 'passkey'

/** Kinds of factors that this package verifies. They are neither methods of a provider nor names of your app. */
export const proofKinds = ['code', appMethod, 'trusted-device', 'recovery-code'] as const

/** Returns the kind of factor that this channel verifies. */
export const kindOf = (channel: Channel): 'code' | 'app' | 'passkey' =>
  ([appMethod, passkeyMethod] as const).find((method) => method === channel) ?? 'code'

/** Methods of the provider's interface, for a provider that declares none. */
export const interfaceMethods = [{ name: 'sms' }, { name: 'call' }] as const

/** Returns whether a name is that of one of these methods. */
export const isOneOf = (methods: readonly { readonly name: string }[], name: unknown): name is string =>
  methods.some((method) => method.name === name)
