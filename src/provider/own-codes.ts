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

/** Sends the texts of `ownCodes`: a client from `createClient()`, or any object with `sendSms`. */
export interface CodeSender
  extends Partial<Pick<ProviderClient, 'balance' | 'close' | 'timeoutMs' | 'maxExchanges'>> {
  /** Sends one text. A rejection counts as possibly sent, unless a `ProviderError` shows otherwise. */
  sendSms(
    message: { readonly phone: string; readonly sms: string },
    options: { readonly signal: AbortSignal },
  ): Promise<unknown>
  /** Speaks one text. Without it the method `call` is not available. */
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
  /** Sends the texts and calls: a client from `createClient()`, or any object with `sendSms`. */
  readonly client: CodeSender
  /**
   * Secret of the stored hashes, 32 bytes or more. The secret of `twoFactor` is suitable. To rotate it, pass a list:
   * the first secret creates hashes, all secrets check them.
   */
  readonly secret: string | readonly string[] | undefined
  /** Number of digits of a code, 4 to 10. Default: 6. */
  readonly length?: number | undefined
  /**
   * Returns the message, which must contain `code` unchanged. Default: built-in texts in English, Spanish and
   * Portuguese.
   */
  readonly text?: ((message: CodeMessage) => string) | undefined
  /**
   * Host name on which phones may fill in the code. Adds the last line `@example.com #482913` to texts. Default: no
   * such line.
   */
  readonly origin?: string | undefined
  /**
   * Maximum of billed parts per text, 1 to 10. Longer texts lose `details` until they fit. Default: 2. Set it to 2 to
   * accept two parts: otherwise `tf.selfTest()` names the texts that need two.
   */
  readonly maxParts?: number | undefined
  /** Voice of the calls. Default: `Mariana`. */
  readonly voice?: Voice | undefined
  /** How often the provider tries a call, 1 to 3. Default: 1. */
  readonly retries?: number | undefined
  /** Name of the provider in events and in {@link failover}. */
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

/** The options with their defaults. */
type GivenCodeOptions = Settled<Omit<OwnCodesOptions, 'secret'>, typeof checks> & {
  /** The first secret creates hashes, all secrets check them. */
  readonly secret: readonly string[]
}

const required = {
  client: 'createClient({ baseUrl, client, key }), // or any object with sendSms',
  secret: 'process.env.TWO_FACTOR_SECRET, // 32 bytes or more, such as the secret of twoFactor()',
}

/**
 * Creates a code provider that generates and checks codes and sends them as plain texts and calls. Messages have the
 * person's language and the details of the action. Only a keyed hash of a code is stored, with the challenge.
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
  // No response of the provider approves a code: this package checks the codes.
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
        // Denial of service: a host text that fails for one visitor's words or language is not an outage.
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
      // A code with an unconfirmed delivery may still arrive.
      return sent.result === 'sent' || sent.result === 'unconfirmed' ? { ...sent, ...kept } : sent
    },

    async checkCode({ destination, appName, code, handle, earlierHandles = [], report }) {
      report?.({ asked: false })
      // The send is in progress, or another provider made it. The code cannot be compared, so no attempt counts.
      const fits = (one: string) => handles.fits(one, code, { destination, appName })
      const isRight = handle === undefined ? undefined : fits(handle)
      if (isRight === undefined) return 'not-sent'
      if (isRight) return 'approved'
      return earlierHandles.some(fits) ? 'replaced' : 'rejected'
    },

    inspect: async (app) => inspectTexts(given, app, options.maxParts),
    ...(client.balance && { balance: client.balance.bind(client) }),
    ...(client.close && { close: client.close.bind(client) }),
  }
  return withFixedCodes('ownCodes', provider, given)
}
