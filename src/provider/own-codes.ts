import { randomInt } from 'node:crypto'
import { type CodeProvider, interfaceMethods, isOneOf } from '../challenge/exchange/code-provider.js'
import {
  type Checks,
  checkOptions,
  func,
  integer,
  type Settled,
  secret,
  that,
  withDefault,
  withMethods,
} from '../lib/options.js'
import type { ProviderClient } from './client.js'
import type { Voice } from './client-params.js'
import { createHandles } from './code-handle.js'
import type { CodeMessage } from './code-message.js'
import { createWriter, inspectTexts } from './code-text.js'
import { type FixedCodesOptions, fixedCodesChecks, withFixedCodes } from './fixed-codes.js'
import * as optionChecks from './option-checks.js'
import { sendResultOf } from './send-result.js'
import { chosenTimeout } from './timeouts.js'

/** What sends the texts of `ownCodes`: a client from `createClient()`, or any object with `sendSms`. */
export interface CodeSender
  extends Partial<Pick<ProviderClient, 'balance' | 'close' | 'timeoutMs' | 'maxExchanges'>> {
  /** Sends one text. What rejects may have been sent, unless it is a `ProviderError` that says otherwise. */
  sendSms(
    message: { readonly phone: string; readonly sms: string },
    options: { readonly signal: AbortSignal },
  ): Promise<unknown>
  /** Speaks one text. Without it there is no method `call`. */
  sendCall?(
    message: {
      readonly phone: string
      readonly message: string
      readonly voice: Voice
      readonly retries: number
    },
    options: { readonly signal: AbortSignal },
  ): Promise<unknown>
}

/** Options of `ownCodes`. */
export interface OwnCodesOptions extends FixedCodesOptions {
  /** Sends the texts and calls. */
  readonly client: CodeSender
  /** 32 bytes or more; that of `twoFactor` will do. For a rotation a list: the first makes, all verify. */
  readonly secret: string | readonly string[] | undefined
  /** Digits of a code, 4 to 10. Default 6. */
  readonly length?: number | undefined
  /** Writes the message. It must contain `code` as given. Default: our own words in English, Spanish or Portuguese. */
  readonly text?: ((message: CodeMessage) => string) | undefined
  /** Host name that phones may fill the code in on: adds the last line `@example.com #482913` to texts. */
  readonly origin?: string | undefined
  /**
   * How many messages a text may be billed as; what it says of `details` is shortened until it is no more. Default 2. Unless
   * it is given, `tf.selfTest()` names the texts that take two.
   */
  readonly maxParts?: number | undefined
  /** Voice of the calls. Default `Mariana`. */
  readonly voice?: Voice | undefined
  /** How often a call is tried, 1 to 3. Default 1. */
  readonly retries?: number | undefined
  /** Names it in events and within {@link failover}. */
  readonly name?: string | undefined
}

const checks = {
  client: withMethods(['sendSms'], 'must have a method sendSms, as a client from createClient() has'),
  secret,
  length: withDefault(6, integer(4, 10)),
  text: func('({ code, minutes, appName, locale, purpose, channel, details }) => string'),
  origin: that(
    "must be a host name without scheme and port, such as 'example.com'",
    (value) => typeof value === 'string' && /^(?!-)[a-z\d-]+(\.[a-z\d-]+)*$/i.test(value),
  ),
  maxParts: withDefault(2, integer(1, 10)),
  voice: withDefault('Mariana', optionChecks.voice),
  retries: withDefault(1, integer(1, 3)),
  name: optionChecks.providerName,
  ...fixedCodesChecks,
} as const satisfies Checks<OwnCodesOptions>

/** The options with every default in place. */
type GivenCodeOptions = Settled<Omit<OwnCodesOptions, 'secret'>, typeof checks> & {
  /** The first makes, all verify. */
  readonly secret: readonly string[]
}

const required = {
  client: 'createClient({ baseUrl, client, key }), // or any object with sendSms',
  secret: 'process.env.TWO_FACTOR_SECRET, // 32 bytes or more; that of twoFactor() will do',
}

/**
 * Codes of our own over the provider's plain texts and calls: in the person's language, with what the
 * code confirms. Only a keyed hash of a code is kept, with the challenge.
 *
 * @throws {TypeError} with `code: 'ERR_TWO_FACTOR_OPTION'`, naming the option and the fix
 * @example
 * twoFactor({
 *   provider: ownCodes({
 *     client: createClient({ baseUrl, client, key }),
 *     secret: process.env.TWO_FACTOR_SECRET,
 *     origin: 'example.com',
 *   }),
 *   // ... without approvedStatuses
 * })
 */
export function ownCodes(options: OwnCodesOptions): CodeProvider {
  const given = checkOptions('ownCodes', options, checks, required) as GivenCodeOptions
  const { client, length, voice, retries, name } = given
  const handles = createHandles(given.secret)
  const write = createWriter(given)
  // No answer of the provider approves anything: the codes are judged here.
  const rules = { approvedStatuses: [] }
  const methods = client.sendCall === undefined ? [{ name: 'sms' }] : interfaceMethods

  const provider: CodeProvider = {
    name,
    timeoutMs: chosenTimeout(client),
    maxExchanges: client.maxExchanges,
    methods,
    tellsCodesApart: true,

    async sendCode(send) {
      const { destination, channel, appName, expiresInMs, signal, report } = send
      const code = String(randomInt(10 ** length)).padStart(length, '0')
      const message = write(code, send)
      if (message === undefined) {
        // Denial of service: a text of the host that fails for one visitor's words or language is no outage.
        report?.({ reason: 'text', asked: false })
        return { result: 'not-sent' }
      }
      if (!isOneOf(methods, channel)) {
        report?.({ reason: 'channel', asked: false })
        return { result: 'not-sent' }
      }
      const kept = { lifetimeMs: expiresInMs, handle: handles.make(code, { destination, appName }) }
      const isText = channel === 'sms'
      const sent = await sendResultOf(send, isText ? 'sendSms' : 'sendCall', rules, async () =>
        isText
          ? client.sendSms({ phone: destination, sms: message }, { signal })
          : client.sendCall?.({ phone: destination, message, voice, retries }, { signal }),
      )
      // A code whose delivery is not confirmed may arrive all the same.
      return sent.result === 'sent' || sent.result === 'unconfirmed' ? { ...sent, ...kept } : sent
    },

    async checkCode({ destination, appName, code, handle, report }) {
      report?.({ asked: false })
      // Its send is under way, or was made by another provider: there is nothing to compare it with, so it is no guess.
      const fits = handle === undefined ? undefined : handles.fits(handle, code, { destination, appName })
      if (fits === undefined) return 'not-sent'
      return fits ? 'approved' : 'rejected'
    },

    inspect: async (app) => inspectTexts(given, app, options.maxParts),
    ...(client.balance && { balance: client.balance.bind(client) }),
    ...(client.close && { close: client.close.bind(client) }),
  }
  return withFixedCodes('ownCodes', provider, given)
}
