import { appMethod } from '../../challenge/exchange/code-provider.js'
import { type Html, html } from '../../lib/html.js'
import { failedSendOf } from '../http/problems.js'
import type { Texts } from './messages/en.js'
import type { PageProblem, PageView } from './page-view.js'
import { filled, type TextContext, triesLeft, waitOf } from './wording.js'

// Returns the title of a problem: that of its code, unless the page has a better one.

export function problemTitle(view: TextContext, problem: PageProblem, texts: Texts): string {
  return texts[`${textKey(view, problem)}.title`]
}

export function problemText(view: TextContext, problem: PageProblem, texts: Texts): Html {
  const { attemptsRemaining } = problem
  const key = textKey(view, problem)
  // The page has no field for a code: the app's form was too long.
  const isOfForm = key === 'problem.payload_too_large' && view.page === 'problem'
  const text = filled(`${isOfForm ? 'problem.invalid_request' : key}.text`, view, texts)
  if (attemptsRemaining !== undefined && key !== 'passkey.wrong') {
    const isLast = attemptsRemaining === 0
    return joined(
      text,
      isLast ? filled('problem.account_locked.text', view, texts) : triesLeft(attemptsRemaining, texts),
    )
  }
  const more = furtherKey(view, key)
  return more === undefined ? text : joined(text, filled(more, view, texts))
}

/**
 * Returns the key of a further text, if its facts are known: the length of a code, or that another person may have
 * entered it.
 */
function furtherKey(
  { codeLength, lettersInCode, changeableNumber }: TextContext,
  key: ReturnType<typeof textKey>,
) {
  if (key === 'code.unreadable' || key === 'code.unreadable.call') {
    return codeLength === undefined
      ? undefined
      : (`code.length.${lettersInCode ? 'letters' : 'digits'}` as const)
  }
  // At a sign-up there is no password yet.
  const isGuessed = key === 'problem.attempts_exhausted' || key === 'problem.account_locked'
  return isGuessed && changeableNumber === false ? 'code.notYou' : undefined
}

/** Returns whether the text of the problem mentions the wait, so that the page does not repeat it. */
export function tellsWait(view: PageView, problem: PageProblem, texts: Texts): boolean {
  return /\{(?:time|t)\}/.test(texts[`${textKey(view, problem)}.text`])
}

/** Returns title and text in one line. */
export function problemSentence(view: TextContext, problem: PageProblem, texts: Texts): Html {
  return joined(html`${problemTitle(view, problem, texts)}.`, problemText(view, problem, texts))
}

/** Joins two sentences. An empty sentence leaves no space. */
function joined(first: Html, second: Html): Html {
  return html`${first}${first.markup !== '' && second.markup !== '' && ' '}${second}`
}

/**
 * Returns the summary at the top of a page with a form. It takes the focus if no field is wrong, also without a script.
 */
export function summary(view: PageView, problem: PageProblem, texts: Texts): Html {
  const title = problemTitle(view, problem, texts)
  const { faultyField, isCalm } = view
  const heading = faultyField === undefined ? html`${title}.` : html`<a href="#${faultyField}">${title}.</a>`
  const look = isCalm ? 'notice' : 'problem'
  const hasFocus = faultyField === undefined && !(isCalm && view.page !== 'start')
  const focus = hasFocus && html` autofocus`
  return html`<div class="${look}" id="problem" role="alert" tabindex="-1"${focus}>
<p>${joined(heading, problemText(view, problem, texts))}</p>
</div>`
}

/** Returns whether the page has a button for a call without a wait, because the failed send was no call. */
function mayCall(view: TextContext): boolean {
  const { page, challenge, destinations = [], channels = [] } = view
  const ways =
    page === 'code' ? (challenge?.channels ?? []) : destinations.length > 0 ? destinations : channels
  const calls = ways.filter((way) => (typeof way === 'string' ? way : way.method) === 'call')
  return view.waits !== undefined && calls.some((way) => waitOf(view, way) === 0)
}

function textKey(scene: TextContext, problem: PageProblem) {
  const { reason, limit, signedOut, undecided, isRenewed, isReplaced, delivery } = problem
  const { page, challenge, destinations, emptyField, changeableNumber } = scene
  const code = failedSendOf(problem) ?? problem.code
  // The result of the last send is unknown.
  const unconfirmed = scene.unconfirmed || delivery === 'unconfirmed'
  // Others behind the address may have used it up.
  if (limit === 'address') return 'problem.address'
  if (code === 'not_identified' && signedOut) return 'problem.signedOut'
  if (code === 'second_factor_required' && (page === 'phone' || changeableNumber)) return 'phone.unproven'
  if (page === 'phone' && reason === 'not-a-mobile') return 'phone.landline'
  if (page === 'phone' && reason === 'country-not-allowed') return 'phone.country'
  if (page === 'phone' && reason === 'wrong-length') return 'phone.length'
  if (page === 'phone' && reason === 'not-assigned') return 'phone.notAssigned'
  if (page === 'phone' && reason === 'other-country') return 'phone.otherCountry'
  // The page has no field for the code that was sent.
  if ((page === 'start' || page === 'phone') && code === 'resend_too_soon')
    return unconfirmed ? 'start.tooSoon.unconfirmed' : 'start.tooSoon'
  if (unconfirmed && code === 'resend_too_soon') return 'problem.resend_too_soon.unconfirmed'
  // A newer challenge for the same purpose: its code can be entered here.
  if (page === 'code' && code === 'challenge_superseded')
    return unconfirmed ? 'code.superseded.unconfirmed' : 'code.superseded'
  if (code === 'delivery_failed' && mayCall(scene)) return 'problem.delivery_failed.call'
  if (undecided && code === 'attempts_exhausted') return 'problem.attempts_exhausted.open'
  if (undecided) return 'problem.challenge_gone'
  // The paragraph of a page mentions the new code. A text in JSON stands alone.
  if (isReplaced || (isRenewed && page === 'problem'))
    return isRenewed ? 'code.replaced' : 'code.superseded.unconfirmed'
  const isApp = page === 'code' && challenge?.channel === appMethod
  if (page === 'pair' && code === 'code_not_accepted') return 'code.wrong.app'
  if (page === 'code' && code === 'code_not_accepted') {
    if (isApp) return 'code.wrong.app'
    // It may be the code of the user's app.
    const hasApp = destinations?.some(({ method }) => method === appMethod)
    if (hasApp && !unconfirmed) return 'code.wrong.sent'
  }
  if (page === 'start' && code === 'code_not_accepted') return 'passkey.wrong'
  if (page === 'recovery' && code === 'code_not_accepted') return 'recovery.wrong'
  if (page === 'recovery' && code === 'attempts_exhausted') return 'recovery.exhausted'
  if (code === 'invalid_request') {
    const fault = emptyField ? 'empty' : 'unreadable'
    if (page === 'code' && challenge?.channel === 'call') return `code.${fault}.call` as const
    if (page === 'pair' || isApp) return `code.${fault}.app` as const
    if (page === 'code' || page === 'phone' || page === 'recovery') return `${page}.${fault}` as const
  }
  return `problem.${code}` as const
}
