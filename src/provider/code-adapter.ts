import type { CodeProvider, ExchangeReport, Verdict } from '../challenge/exchange/code-provider.js'
import {
  boolean,
  type Checks,
  checkOptions,
  integer,
  list,
  nonEmptyString,
  that,
  withDefault,
  withMethods,
} from '../lib/options.js'
import { countryCodes, phoneCountries } from '../phone-number.js'
import type { ProviderClient } from './client.js'
import type { Voice } from './client-params.js'
import type { VerifyCodeResult } from './client-results.js'
import { type FixedCodesOptions, fixedCodesChecks, withFixedCodes } from './fixed-codes.js'
import * as optionChecks from './option-checks.js'
import { ProviderError, spokenIn } from './provider-error.js'
import { refusesAccount, reportFailure, sendResultOf } from './send-result.js'
import { chosenTimeout } from './timeouts.js'
import { effectiveError, judge, type VerdictRules } from './verdict.js'

/** Options of `providerCodes`. */
export interface ProviderCodesOptions extends VerdictRules, FixedCodesOptions {
  /** Sends the requests to the provider: a client from `createClient`. */
  readonly client: Pick<
    ProviderClient,
    'sendSmsCode' | 'sendCallCode' | 'verifyCode' | 'balance' | 'close' | 'timeoutMs'
  > &
    Partial<Pick<ProviderClient, 'maxExchanges'>>
  /** Name of the provider in events and in {@link failover}. */
  readonly name?: string | undefined
  /**
   * Date on which `calibrate` measured `approvedStatuses`, such as `2026-03-01`. Without it, `tf.selfTest()` reports the
   * statuses as guessed in production.
   */
  readonly calibratedAt?: string | undefined
  /**
   * Set true if each new code of your provider ends the earlier codes to this number with this app-name:
   * `calibrate --replaces` measures it. If true is wrong, a sign-in code may confirm a payment. Default: false. A
   * purpose whose guards `bind` fields then needs an `appName` of its own.
   *
   * If the provider did not respond to a request for a code with bound fields, or the request overlapped with an earlier
   * one of the same account for the same number, every code for these fields gets 410, until the earlier code is used or
   * expires (ten minutes and 12 seconds at most), or a further request gets a response.
   *
   * Even if true, accounts that share a number end each other's codes. A code also gets 410 if it was requested while the
   * code of another account was being sent (12 seconds at most), or if the provider did not respond and another account
   * requested a code in the ten minutes and 12 seconds before.
   */
  readonly replacesCodes?: boolean | undefined
  /** Voice of the calls. Default: `Mariana`. */
  readonly voice?: Voice | undefined
  /** How often the provider tries a call, 1 to 3. It may bill each try. Default: 1. */
  readonly callRetries?: number | undefined
  /** ISO 3166 code that is sent to the provider with each number. Default: none. */
  readonly countryCode?: string | undefined
}

const rightStatus = 'the status that your account returns for a correct code'
const values = list(nonEmptyString('a value of `error`'), 'must be an array of strings')
const checks = {
  client: withMethods(
    ['sendSmsCode', 'sendCallCode', 'verifyCode', 'balance', 'close'],
    'must be a client from createClient()',
  ),
  name: optionChecks.providerName,
  approvedStatuses: list(
    nonEmptyString(rightStatus),
    `must list ${rightStatus}; measure it with: npx express-two-factor calibrate`,
    1,
  ),
  calibratedAt: that(
    "must be a date such as '2026-03-01', as npx express-two-factor calibrate prints it",
    (value) =>
      typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value) && !Number.isNaN(Date.parse(value)),
  ),
  replacesCodes: boolean,
  rejectedCodes: values,
  accountErrorCodes: values,
  voice: withDefault('Mariana', optionChecks.voice),
  callRetries: withDefault(1, integer(1, 3)),
  // The provider rejects the codes of numbering plans that ISO 3166-1 does not assign.
  countryCode: that(
    "must be an upper-case ISO 3166-1 alpha-2 code, such as 'GB'",
    (code) => typeof code === 'string' && phoneCountries.has(code) && countryCodes.has(code),
  ),
  ...fixedCodesChecks,
} as const satisfies Checks<ProviderCodesOptions>

const required = {
  client: 'createClient({ baseUrl, client, key }),',
  approvedStatuses: `['verified'], // ${rightStatus}: npx express-two-factor calibrate`,
}

/**
 * Creates a code provider from the provider's own codes: the provider generates, sends and checks them.
 *
 * @throws {TypeError} with `code: 'ERR_TWO_FACTOR_OPTION'`, naming the option and the fix
 * @example
 * const provider = providerCodes({
 *   client: createClient({ baseUrl, client, key }),
 *   approvedStatuses: ['verified'],
 * })
 */
export function providerCodes(options: ProviderCodesOptions): CodeProvider {
  const rules = checkOptions('providerCodes', options, checks, required)
  const { client, name, calibratedAt, voice, callRetries: retries, countryCode } = rules

  const provider: CodeProvider = {
    name,
    timeoutMs: chosenTimeout(client),
    maxExchanges: client.maxExchanges,
    tellsCodesApart: rules.replacesCodes === true,

    sendCode(send) {
      const { destination, appName, signal } = send
      const to = { phone: destination, appName, countryCode }
      return send.channel === 'sms'
        ? sendResultOf(send, 'sendSmsCode', rules, () => client.sendSmsCode(to, { signal }))
        : sendResultOf(send, 'sendCallCode', rules, () =>
            client.sendCallCode({ ...to, voice, retries }, { signal }),
          )
    },

    async checkCode({ destination, appName, code, signal, report }) {
      try {
        const submitted = { phone: destination, appName, code, countryCode }
        const answer = await client.verifyCode(submitted, { signal })
        const verdict = judge(answer, rules)
        report?.(
          verdict === 'approved' ? { operation: 'verifyCode', httpStatus: 200 } : reportOf(answer, rules),
        )
        return verdict
      } catch (error) {
        reportFailure(error, report)
        return failedCheck(error, rules)
      }
    },

    async inspect() {
      // A sandbox needs no calibration, so the check runs only in production.
      const guessed = calibratedAt === undefined && process.env.NODE_ENV === 'production'
      return guessed ? [statusesGuessed] : []
    },
    balance: () => client.balance(),
    close: () => client.close(),
  }
  return withFixedCodes('providerCodes', provider, rules)
}

const statusesGuessed = {
  code: 'statuses_guessed',
  message: 'approvedStatuses was not measured: a wrong value accepts every code or none.',
  fix: 'run npx express-two-factor calibrate, and pass the calibratedAt that it prints',
}

/** Returns the event data of a response that is not an approval. */
function reportOf(
  answer: VerifyCodeResult,
  { approvedStatuses }: Pick<VerdictRules, 'approvedStatuses'>,
): ExchangeReport {
  const { httpStatus } = answer
  const { status, error } = spokenIn(answer)
  const isError = effectiveError(answer) !== undefined
  const unexpectedStatus = !isError && httpStatus === 200 ? status : undefined
  return {
    operation: 'verifyCode',
    httpStatus,
    reason: 'answer',
    providerError: isError ? error : undefined,
    unexpectedStatus,
    ...(unexpectedStatus !== undefined && {
      // A wrong code may have its own status. Listing that status would admit every code.
      cause: `if that code was correct, and npx express-two-factor calibrate confirms it, paste approvedStatuses: ${JSON.stringify([...approvedStatuses, unexpectedStatus])} into providerCodes()`,
    }),
  }
}

function failedCheck(error: unknown, rules: VerdictRules): Verdict {
  // An unexpected error counts as a request: an attempt is refunded only if provably nothing was sent.
  if (!(error instanceof ProviderError)) return 'unavailable'
  if (error.delivery === 'not-sent') return 'not-sent'
  return refusesAccount(error, rules) ? 'misconfigured' : 'unavailable'
}
