import { isJsonObject } from '../../lib/json.js'
import { type FailureReason, type ProviderClient, ProviderError } from '../../provider/index.js'
import { type Row, rowsAbout } from './findings.js'
import { withProvidersWords } from './quote.js'

const { ok, warning, wrong } = rowsAbout('Provider')

/** Requests the credits: this free request verifies address, account and allow-list. */
export async function balanceRow(
  provider: ProviderClient,
  { lowCredits, ...account }: { readonly baseUrl: string; readonly key: string; readonly lowCredits: number },
): Promise<Row> {
  try {
    const { credits, raw } = await provider.balance()
    if (credits === undefined) return unknownCredits('without a number of credits')
    if (credits <= 0) {
      return wrong('no_credits', 'no credits are left: no code will be sent', 'top up the account')
    }
    if (isMereFlag(raw))
      return unknownCredits('with the status 1, which may be a flag instead of a number of credits')
    if (credits >= lowCredits) return ok('provider_ok', `${credits} credits`)
    const text = `${credits} credits, fewer than ${lowCredits}`
    return warning('low_credits', text, 'top up the account before it is empty')
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return diagnosisRow(error, account)
  }
}

function unknownCredits(how: string): Row {
  return ok('credits_unknown', `answers, ${how}`)
}

/** Some accounts return `{ "status": 1 }` for "done". */
function isMereFlag(raw: unknown): boolean {
  return isJsonObject(raw) && Object.keys(raw).length === 1 && String(raw.status) === '1'
}

/** Without a fix, the row shows the advice of the error. */
type Diagnosis = readonly [code: string, fix?: string]

/** Describes a failed request to the provider: a stable code, the event and the fix. */
function diagnosisRow(
  error: ProviderError,
  { baseUrl, key }: { readonly baseUrl: string; readonly key: string },
): Row {
  const [code, fix = error.advice] = error.reason === 'answer' ? ofAnswer(error, baseUrl) : ofFailure(error)
  const text = withProvidersWords(error.message.replace(` ${error.advice}`, ''), error, { key })
  return wrong(code, text, fix.replace('Nothing was sent. ', '').replace(/\.$/, ''))
}

const hangs =
  'it accepts connections and never responds: check that baseUrl is the address of the API, then ask the provider'
const otherScheme =
  'check scheme, host and port in baseUrl, with https if the provider uses TLS; then ask the provider'

const byReason: Readonly<Partial<Record<FailureReason, Diagnosis>>> = {
  dns: ['provider_dns'],
  refused: ['provider_not_listening'],
  tls: ['provider_tls'],
  unreachable: ['provider_unreachable'],
  timeout: ['provider_hangs', hangs],
  reset: ['provider_reset', otherScheme],
  protocol: ['provider_not_http', otherScheme],
}

function ofFailure({ reason, delivery }: ProviderError): Diagnosis {
  if (reason === 'timeout' && delivery === 'not-sent') return ['provider_unreachable']
  return byReason[reason] ?? ['provider_failed', 'check baseUrl and the network']
}

function ofAnswer({ httpStatus = 0, providerError, raw }: ProviderError, baseUrl: string): Diagnosis {
  const { origin, pathname } = new URL(baseUrl)
  const hasVersion = /\/v\d+(\/|$)/.test(pathname)
  if (httpStatus === 429) return ['provider_busy', 'wait some minutes, and run this again']
  if (httpStatus === 402) return ['no_credits', 'top up the account']
  if (httpStatus >= 300 && httpStatus < 400) return ['provider_redirects']
  if (httpStatus === 404 || httpStatus === 405) {
    return hasVersion
      ? ['operation_not_found', 'check baseUrl, or pass the path of the balance: --path balance=/other']
      : ['base_path_missing', `add the version segment to baseUrl, such as ${origin}/v1`]
  }
  if (/^\s*</.test(String(raw)) && httpStatus < 500) {
    const fix = `use the address of the API, which ends in the version segment (${origin}/v1), not the address of a web site`
    return ['website_answered', fix]
  }
  if (providerError !== undefined || httpStatus === 401 || httpStatus === 403) return ['account_refused']
  if (httpStatus >= 500) {
    return ['provider_failing', 'run this again in some minutes; if it still fails, ask the provider']
  }
  return ['answer_unreadable', 'check baseUrl: the API answers with a JSON object']
}
