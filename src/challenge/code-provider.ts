import type { PhoneNumber } from '../phone-number.js'

/** How a code travels: a text message or a spoken call. */
export type Channel = 'sms' | 'call'

export interface CodeRequest {
  readonly destination: PhoneNumber
  /** The name under which the provider files the code; the same one at send and at check. */
  readonly appName: string
}

/**
 * What became of a send.
 * - `sent`: the provider took it; `lifetimeMs` when it said how long the code lives.
 * - `unconfirmed`: the answer was lost, the code may arrive.
 * - `failed`: a complete answer that is a refusal.
 * - `foreign-number`: the answer names another number or more than one. The challenge is void.
 * - `not-sent`: provably nothing left this machine.
 * - `misconfigured`: the provider refuses our account.
 */
export type SendResult =
  | { readonly result: 'sent'; readonly lifetimeMs?: number }
  | { readonly result: 'unconfirmed' | 'failed' | 'foreign-number' | 'not-sent' | 'misconfigured' }

/**
 * What the provider's answer to a code means. Everything that is not clearly an approval is a no.
 * - `unavailable`: an answer that is no verdict, or a lost one. The attempt stays spent.
 * - `not-sent`: provably nothing left this machine, so the attempt comes back.
 */
export type Verdict = 'approved' | 'rejected' | 'misconfigured' | 'unavailable' | 'not-sent'

/** The port: all that the domain needs from any provider. Neither method rejects. */
export interface CodeProvider {
  sendCode(request: CodeRequest & { readonly channel: Channel }): Promise<SendResult>
  checkCode(request: CodeRequest & { readonly code: string }): Promise<Verdict>
}
