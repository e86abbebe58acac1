import { type ClientOptions, checkTimeout, resolveClientOptions } from './client-options.js'
import type {
  BalanceParams,
  BlockPhoneParams,
  MessageStateParams,
  SendCallCodeParams,
  SendCallParams,
  SendSmsCodeParams,
  SendSmsParams,
  ShortenUrlParams,
  UrlStatisticsParams,
  VerifyCodeParams,
} from './client-params.js'
import type {
  BalanceResult,
  BlockPhoneResult,
  MessageStateResult,
  SendCallCodeResult,
  SendCallResult,
  SendSmsCodeResult,
  SendSmsResult,
  ShortenUrlResult,
  UrlStatisticsResult,
  VerifyCodeResult,
} from './client-results.js'
import { type OperationName, operations } from './operations.js'
import { lostError } from './provider-error.js'
import { openTransport } from './send.js'
import { encodeParams, type Further, readAnswer } from './wire.js'

/** Options of one call. */
export interface CallOptions {
  /** Aborts the request; the promise rejects with a ProviderError that says whether it was sent. */
  readonly signal?: AbortSignal | undefined
  /** Deadline of this exchange in milliseconds, instead of the client's. */
  readonly timeoutMs?: number | undefined
}

/**
 * One method per operation of the provider. All reject with a TypeError when a parameter breaks a rule
 * (before anything is sent) and with a ProviderError when there is no success.
 */
export interface ProviderClient {
  /** Deadline of an exchange in milliseconds, unless a call brings its own. */
  readonly timeoutMs: number
  /** How many exchanges may be under way at once, over as many connections. */
  readonly maxExchanges: number

  /**
   * Credits available on the account.
   *
   * @example
   * const { credits } = await client.balance()
   */
  balance(options?: CallOptions): Promise<BalanceResult>

  /**
   * Blocks one number, so that the service sends it no SMS.
   *
   * @example
   * await client.blockPhone({ phone: '+573001234567', name: 'Ana' })
   */
  blockPhone(params: BlockPhoneParams, options?: CallOptions): Promise<BlockPhoneResult>

  /**
   * Sends an SMS to one number or several. Never repeated by itself.
   *
   * @example
   * const { id, data } = await client.sendSms({ phone: ['+573001234567', '+573007654321'], sms: 'Hello' })
   */
  sendSms(params: SendSmsParams, options?: CallOptions): Promise<SendSmsResult>

  /**
   * Calls one number or several and speaks a text, or plays an audio uploaded before.
   *
   * @example
   * await client.sendCall({ phone: '+573001234567', message: 'Your order is ready', voice: 'Mariana' })
   * await client.sendCall({ phone: '+573001234567', audioCode: 'welcome-7', retries: 2 })
   */
  sendCall(params: SendCallParams, options?: CallOptions): Promise<SendCallResult>

  /**
   * Delivery states of a group of messages: the `id` that a send answered.
   *
   * @example
   * const states = await client.messageState({ id })
   * console.log(states.map(({ phone, state }) => [phone, state]))
   */
  messageState(params: MessageStateParams, options?: CallOptions): Promise<MessageStateResult>

  /**
   * Sends a code by SMS. The provider makes the code; it files it under the number and `appName`.
   *
   * @example
   * const { minutesToExpire } = await client.sendSmsCode({ phone: '+573001234567', appName: 'Acme' })
   */
  sendSmsCode(params: SendSmsCodeParams, options?: CallOptions): Promise<SendSmsCodeResult>

  /**
   * Speaks a code in a call.
   *
   * @example
   * await client.sendCallCode({ phone: '+573001234567', appName: 'Acme', voice: 'Mariana', retries: 1 })
   */
  sendCallCode(params: SendCallCodeParams, options?: CallOptions): Promise<SendCallCodeResult>

  /**
   * Checks a code. Resolves for every complete JSON object of any HTTP status, because only the account
   * knows which statuses and errors mean what: `judge` gives the verdict.
   *
   * @example
   * const answer = await client.verifyCode({ phone: '+573001234567', appName: 'Acme', code: '482913' })
   * judge(answer, { approvedStatuses: ['verified'] }) // 'approved', 'rejected', 'misconfigured' or 'unavailable'
   */
  verifyCode(params: VerifyCodeParams, options?: CallOptions): Promise<VerifyCodeResult>

  /**
   * Makes a short URL.
   *
   * @example
   * const { urlShort } = await client.shortenUrl({ name: 'spring', urlLong: 'https://example.com/spring' })
   */
  shortenUrl(params: ShortenUrlParams, options?: CallOptions): Promise<ShortenUrlResult>

  /**
   * Clicks of a short URL between two days, both included.
   *
   * @example
   * await client.urlStatistics({ nameUrl: 'spring', since: '2026-03-01', until: new Date(), category: 'country' })
   */
  urlStatistics(params: UrlStatisticsParams, options?: CallOptions): Promise<UrlStatisticsResult>

  /**
   * Any operation with parameters that its documentation does not list (yet): those go out as they are
   * written, documented ones are checked as in the methods.
   *
   * @example
   * await client.request('blockPhone', { phone: '+573001234567', channel: 'CALL' })
   */
  request<Operation extends OperationName>(
    operation: Operation,
    params: ParamsOf<Operation> & { readonly [further: string]: unknown },
    options?: CallOptions,
  ): Promise<ResultOf<Operation>>

  /** Waits for running requests, then closes the connections. Later calls fail as `not-sent`. */
  close(): Promise<void>
}

/** The parameters of one operation, named as this package names them. */
export type ParamsOf<Operation extends OperationName> = Operation extends 'balance'
  ? BalanceParams
  : Parameters<ProviderClient[Operation]>[0]

/** What each operation resolves with. */
export type ResultOf<Operation extends OperationName> = Awaited<ReturnType<ProviderClient[Operation]>>

/**
 * A client of the provider, usable without Express. It holds one pool of connections; it keeps the
 * account to itself: neither the client nor its errors show it when they are printed.
 *
 * @example
 * const client = createClient({
 *   baseUrl: 'https://api.example.com/v1',
 *   client: 12345,
 *   key: readFileSync('/run/secrets/provider-key', 'utf8').trim(),
 * })
 */
export function createClient(options: ClientOptions): ProviderClient {
  const { origin, account, timeoutMs, maxExchanges, numberFormat, pathOf, dispatcher } =
    resolveClientOptions(options)
  const transport = openTransport(
    origin,
    { connections: maxExchanges, connectTimeoutMs: timeoutMs },
    dispatcher,
  )

  async function run<Operation extends OperationName>(
    operation: Operation,
    params: object,
    call: CallOptions = {},
    further: Further = 'refused',
  ): Promise<ResultOf<Operation>> {
    if (!Object.hasOwn(operations, operation)) {
      throw new TypeError(`request: operation must be one of ${Object.keys(operations).join(', ')}`)
    }
    if (typeof params !== 'object' || params === null) {
      throw new TypeError(`${operation}: the parameters must be an object`)
    }
    const form =
      account + encodeParams(operation, params as Readonly<Record<string, unknown>>, numberFormat, further)
    const outcome = await transport.send({
      method: operations[operation].method,
      path: pathOf[operation],
      form,
      timeoutMs: call.timeoutMs === undefined ? timeoutMs : checkTimeout(operation, call.timeoutMs),
      signal: checkSignal(operation, call.signal),
    })
    if (outcome.delivery !== 'answered') throw lostError(operation, outcome, dispatcher !== undefined)
    return readAnswer(operation, outcome, form) as ResultOf<Operation>
  }

  return Object.freeze<ProviderClient>({
    timeoutMs,
    maxExchanges,
    balance: (call) => run('balance', {}, call),
    blockPhone: (params, call) => run('blockPhone', params, call),
    sendSms: (params, call) => run('sendSms', params, call),
    sendCall: (params, call) => run('sendCall', params, call),
    messageState: (params, call) => run('messageState', params, call),
    sendSmsCode: (params, call) => run('sendSmsCode', params, call),
    sendCallCode: (params, call) => run('sendCallCode', params, call),
    verifyCode: (params, call) => run('verifyCode', params, call),
    shortenUrl: (params, call) => run('shortenUrl', params, call),
    urlStatistics: (params, call) => run('urlStatistics', params, call),
    request: (operation, params, call) => run(operation, params, call, 'sent'),
    close: transport.close,
  })
}

function checkSignal(operation: OperationName, signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw new TypeError(`${operation}: signal must be an AbortSignal`)
  }
  return signal
}
