import type { Outlook } from '../../challenge/commands.js'
import type { ProblemCode } from '../../errors.js'
import type { PageView } from './page-view.js'

type Codes = ReadonlySet<ProblemCode>

/** The number takes neither a start nor a code. */
const barring: Codes = new Set(['phone_disabled', 'phone_locked'])

/** These say when a code may be asked for. */
const telling: Codes = new Set(['attempts_exhausted', 'phone_locked', 'send_limit'])

/** After these a page offers a first code, if one would be sent. */
const beforeStart: Codes = new Set(['challenge_gone', 'challenge_superseded', 'second_factor_required'])

/**
 * The view with what a start would meet: no button that would only be refused, and the one wait that is true.
 * A lock may end before the hour in which too many codes were sent.
 */
export function withOutlook(view: PageView, { refusal, expired }: Outlook): PageView {
  const { problem, page, challenge } = view
  if (page !== 'start' && page !== 'code') return view
  const waitMs = refusal?.retryAfterMs
  const retryAfterMs = waitMs && Math.max(waitMs, problem?.retryAfterMs ?? 0)
  if (refusal && barring.has(refusal.code)) return { ...view, problem: { code: refusal.code, retryAfterMs } }
  const told = problem && telling.has(problem.code) ? problem : undefined
  const attemptsRemaining = problem?.attemptsRemaining ?? challenge?.attemptsRemaining
  if (told !== undefined || attemptsRemaining === 0) {
    return retryAfterMs === undefined
      ? view
      : { ...view, problem: { code: told?.code ?? 'attempts_exhausted', limit: told?.limit, retryAfterMs } }
  }
  if (page === 'code') return view
  if (problem && !beforeStart.has(problem.code)) return { ...view, waitMs }
  // A cooldown is nobody's fault: the button waits.
  if (refusal !== undefined && refusal.code !== 'resend_too_soon') return { ...view, problem: refusal }
  const gone = expired ? ({ code: 'challenge_gone' } as const) : undefined
  return { ...view, problem: problem ?? gone, waitMs }
}
