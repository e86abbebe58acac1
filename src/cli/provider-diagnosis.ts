import { adviceOn, isHtml } from '../provider/advice.js'
import type { FailureReason, ProviderError } from '../provider/index.js'
import type { Row } from './findings.js'
import { describeFailure } from './refusal.js'

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
  const { code, fix = adviceOn(error) } =
    error.reason === 'answer' ? ofAnswer(error, baseUrl) : ofFailure(error)
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
  if (isHtml(raw) && httpStatus < 500) {
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
