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

/** Options of one request. */
export interface CallOptions {
  /** Aborts the request. The promise rejects with a ProviderError whose `delivery` shows if the request was sent. */
  readonly signal?: AbortSignal | undefined
  /** Deadline of this request in milliseconds. Default: the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined
}

/**
 * One method per operation of the provider. Each rejects with a TypeError, before it sends anything, if a parameter is
 * invalid. Each rejects with a ProviderError if the request does not succeed.
 */
export interface ProviderClient {
  /** Deadline of a request in milliseconds, unless the request sets its own. */
  readonly timeoutMs: number
  /** Maximum of concurrent requests and of connections. */
  readonly maxExchanges: number

  /**
   * Returns the credits available on the account.
   *
   * @example
   * const { credits } = await client.balance()
   */
  balance(options?: CallOptions): Promise<BalanceResult>

  /**
   * Blocks one number: the service then sends it no SMS.
   *
   * @example
   * await client.blockPhone({ phone: '+573001234567', name: 'Ana' })
   */
  blockPhone(params: BlockPhoneParams, options?: CallOptions): Promise<BlockPhoneResult>

  /**
   * Sends an SMS to one number or several. The client never repeats it.
   *
   * @example
   * const { id, data } = await client.sendSms({ phone: ['+573001234567', '+573007654321'], sms: 'Hello' })
   */
  sendSms(params: SendSmsParams, options?: CallOptions): Promise<SendSmsResult>

  /**
   * Calls one number or several and speaks a text, or plays an uploaded audio.
   *
   * @example
   * await client.sendCall({ phone: '+573001234567', message: 'Your order is ready', voice: 'Mariana' })
   * await client.sendCall({ phone: '+573001234567', audioCode: 'welcome-7', retries: 2 })
   */
  sendCall(params: SendCallParams, options?: CallOptions): Promise<SendCallResult>

  /**
   * Returns the delivery states of a group of messages, by the `id` that a send returned.
   *
   * @example
   * const states = await client.messageState({ id })
   * console.log(states.map(({ phone, state }) => [phone, state]))
   */
  messageState(params: MessageStateParams, options?: CallOptions): Promise<MessageStateResult>

  /**
   * Sends a code by SMS. The provider generates the code and stores it by number and `appName`.
   *
   * @example
   * const { minutesToExpire } = await client.sendSmsCode({ phone: '+573001234567', appName: 'Acme' })
   */
  sendSmsCode(params: SendSmsCodeParams, options?: CallOptions): Promise<SendSmsCodeResult>

  /**
   * Calls a number and speaks a code.
   *
   * @example
   * await client.sendCallCode({ phone: '+573001234567', appName: 'Acme', voice: 'Mariana', retries: 1 })
   */
  sendCallCode(params: SendCallCodeParams, options?: CallOptions): Promise<SendCallCodeResult>

  /**
   * Checks a code. Resolves for every complete JSON object of any HTTP status, because statuses and errors differ by
   * account. Call `judge` for the verdict.
   *
   * @example
   * const answer = await client.verifyCode({ phone: '+573001234567', appName: 'Acme', code: '482913' })
   * judge(answer, { approvedStatuses: ['verified'] }) // 'approved', 'rejected', 'misconfigured' or 'unavailable'
   */
  verifyCode(params: VerifyCodeParams, options?: CallOptions): Promise<VerifyCodeResult>

  /**
   * Creates a short URL.
   *
   * @example
   * const { urlShort } = await client.shortenUrl({ name: 'spring', urlLong: 'https://example.com/spring' })
   */
  shortenUrl(params: ShortenUrlParams, options?: CallOptions): Promise<ShortenUrlResult>

  /**
   * Returns the clicks of a short URL between two days, both inclusive.
   *
   * @example
   * await client.urlStatistics({ nameUrl: 'spring', since: '2026-03-01', until: new Date(), category: 'country' })
   */
  urlStatistics(params: UrlStatisticsParams, options?: CallOptions): Promise<UrlStatisticsResult>

  /**
   * Calls any operation with undocumented parameters. It sends these unchanged and checks documented parameters as the
   * methods do.
   *
   * @example
   * await client.request('blockPhone', { phone: '+573001234567', channel: 'CALL' })
   */
  request<Operation extends OperationName>(
    operation: Operation,
    params: ParamsOf<Operation> & { readonly [further: string]: unknown },
    options?: CallOptions,
  ): Promise<ResultOf<Operation>>

  /** Waits for running requests, then closes the connections. Later requests fail as `not-sent`. */
  close(): Promise<void>
}

/** Parameters of one operation, in the spelling of this package. */
export type ParamsOf<Operation extends OperationName> = Operation extends 'balance'
  ? BalanceParams
  : Parameters<ProviderClient[Operation]>[0]

/** Result of one operation. */
export type ResultOf<Operation extends OperationName> = Awaited<ReturnType<ProviderClient[Operation]>>

/**
 * Creates a client of the provider with one pool of connections. It works without Express. Printing the client or its
 * errors does not reveal the account.
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
