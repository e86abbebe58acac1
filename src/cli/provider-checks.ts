import { isJsonObject } from '../provider/answers.js'
import { type ProviderClient, ProviderError } from '../provider/index.js'
import type { Row } from './findings.js'
import { diagnosisRow } from './provider-diagnosis.js'

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
