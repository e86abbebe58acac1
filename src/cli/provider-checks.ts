import { isJsonObject } from '../lib/json.js'
import { type FailureReason, type ProviderClient, ProviderError } from '../provider/index.js'
import type { Row } from './findings.js'
import { describeFailure } from './quote.js'

const name = 'Provider'

/** Asks for the credits: the question that proves address, account and allow-list, and costs nothing. */
export async function balanceRow(
  provider: ProviderClient,
  { lowCredits, ...account }: { readonly baseUrl: string; readonly key: string; readonly lowCredits: number },
): Promise<Row> {
  try {
    const { credits, raw } = await provider.balance()
    if (credits === undefined) return unknownCredits('without a number of credits')
    if (credits <= 0) {
      const text = 'no credits are left: no code will be sent'
      return { code: 'no_credits', name, found: 'wrong', text, fix: 'recharge the account' }
    }
    if (isMereFlag(raw))
      return unknownCredits('with the status 1, which may be a flag and no number of credits')
    if (credits >= lowCredits) return { code: 'provider_ok', name, found: 'ok', text: `${credits} credits` }
    const text = `${credits} credits, fewer than ${lowCredits}`
    return {
      code: 'low_credits',
      name,
      found: 'warning',
      text,
      fix: 'recharge the account before it is empty',
    }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    return diagnosisRow(error, account)
  }
}

function unknownCredits(how: string): Row {
  return { code: 'credits_unknown', name, found: 'ok', text: `answers, ${how}` }
}

/** Some accounts return `{ "status": 1 }` for "done". */
function isMereFlag(raw: unknown): boolean {
  return isJsonObject(raw) && Object.keys(raw).length === 1 && String(raw.status) === '1'
}

interface Diagnosis {
  readonly code: string
  /** Left out, the error's own advice says it. */
  readonly fix?: string
}

/** What a failed question to the provider comes to: a stable code, what happened, and what to do about it. */
export function diagnosisRow(
  error: ProviderError,
  { baseUrl, key }: { readonly baseUrl: string; readonly key: string },
): Row {
  const { code, fix = error.advice } = error.reason === 'answer' ? ofAnswer(error, baseUrl) : ofFailure(error)
  const text = describeFailure(error, { key })
  const act = fix.replace('Nothing was sent. ', '').replace(/\.$/, '')
  return { code, name: 'Provider', found: 'wrong', text, fix: act }
}

const codes: Readonly<Partial<Record<FailureReason, string>>> = {
  dns: 'provider_dns',
  refused: 'provider_not_listening',
  tls: 'provider_tls',
  unreachable: 'provider_unreachable',
  reset: 'provider_reset',
  protocol: 'provider_not_http',
}

function ofFailure({ reason, delivery }: ProviderError): Diagnosis {
  if (reason === 'timeout' && delivery === 'not-sent') return { code: 'provider_unreachable' }
  if (reason === 'timeout') {
    const fix =
      'it takes connections and never responds: check that baseUrl is the interface, then ask the provider'
    return { code: 'provider_hangs', fix }
  }
  if (reason === 'reset' || reason === 'protocol') {
    const fix =
      'check scheme, host and port in baseUrl: https where the provider speaks TLS; then ask the provider'
    return { code: codes[reason] ?? reason, fix }
  }
  const code = codes[reason]
  return code === undefined ? { code: 'provider_failed', fix: 'check baseUrl and the network' } : { code }
}

function ofAnswer({ httpStatus = 0, providerError, raw }: ProviderError, baseUrl: string): Diagnosis {
  const { origin, pathname } = new URL(baseUrl)
  const hasVersion = /\/v\d+(\/|$)/.test(pathname)
  if (httpStatus === 429) return { code: 'provider_busy', fix: 'wait some minutes, and run this again' }
  if (httpStatus === 402) return { code: 'no_credits', fix: 'recharge the account' }
  if (httpStatus >= 300 && httpStatus < 400) return { code: 'provider_redirects' }
  if (httpStatus === 404 || httpStatus === 405) {
    return hasVersion
      ? {
          code: 'operation_not_found',
          fix: 'check baseUrl, or pass where the balance lies: --path balance=/other',
        }
      : { code: 'base_path_missing', fix: `add the version segment to baseUrl, such as ${origin}/v1` }
  }
  if (/^\s*</.test(String(raw)) && httpStatus < 500) {
    const fix = `use the address of the interface, which ends in the version segment (${origin}/v1), not that of a web site`
    return { code: 'website_answered', fix }
  }
  if (providerError !== undefined || httpStatus === 401 || httpStatus === 403)
    return { code: 'account_refused' }
  if (httpStatus >= 500) {
    return {
      code: 'provider_failing',
      fix: 'run this again in some minutes; if it stays so, ask the provider',
    }
  }
  return { code: 'answer_unreadable', fix: 'check baseUrl: the interface answers with a JSON object' }
}
