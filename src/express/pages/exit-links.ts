import { type PageLink, pageUrl, signInUrl } from './links.js'
import type { ExitLink, PageView } from './page-view.js'

/** A page without its exit links. */
type PageDecision = Omit<PageView, 'ways'>
type LinkRow = readonly [text: ExitLink['text'], to: string | undefined, afterMs?: number | undefined]

/**
 * Returns the links for users who cannot use the page. Links without a target are omitted.
 *
 * @param again Where to look again, where that would help
 */
export function createExitLinks(view: PageDecision, again: string | undefined): readonly ExitLink[] {
  const { page, problem, links, isCancellable, otherNumberMayDo } = view
  const isLater = again !== undefined && problem?.retryAfterMs !== undefined
  const ways = exitLinksFor(view, again).flatMap(([text, to, afterMs]) =>
    to === undefined ? [] : [{ text, to, afterMs, isMain: mainWays.includes(text) }],
  )
  const leadsOn = ways.length > (isLater ? 1 : 0) || (isLater && (isCancellable || otherNumberMayDo))
  const { home = '/' } = links
  return page === 'problem' && !leadsOn ? [...ways, { text: 'link.home', to: home }] : ways
}

/** Returns the links of a page about a wrong request to a route of the app. */
export function createWaysBack({ links }: PageDecision, pageBefore: string | undefined): readonly ExitLink[] {
  const { home = '/', support } = links
  const back: ExitLink =
    pageBefore === undefined ? { text: 'link.home', to: home } : { text: 'link.back', to: pageBefore }
  return support === undefined ? [back] : [back, { text: 'link.support', to: support }]
}

function exitLinksFor(view: PageDecision, again: string | undefined): readonly LinkRow[] {
  const { page, links, backPath, mendedBy, problem, changeableNumber } = view
  if (page === 'pair') return [['link.home', links.home ?? '/']]
  if (page === 'phone') {
    return [
      ['link.support', links.support],
      backPath === undefined ? ['link.home', links.home ?? '/'] : ['link.back', backPath],
    ]
  }
  if (page === 'recovery') {
    return [
      ['recovery.byPhone', view.channels.length === 0 ? undefined : pageBy(view, undefined)],
      ['link.otherMethod', links.otherMethod],
      ['recovery.lost', links.lostPhone],
      ['link.support', links.support],
    ]
  }
  if (page === 'code' || page === 'start') return otherExitLinks(view)
  if (page !== 'problem') return []
  if (mendedBy === 'signIn') return [['link.signIn', links.signIn && signInUrl(links.signIn, view.returnTo)]]
  // A link that works only later appears then, because the server would refuse it until then.
  const afterMs = problem?.retryAfterMs
  const isUnproven = changeableNumber && problem?.code === 'second_factor_required'
  return [
    [isUnproven ? 'phone.prove' : 'problem.again', again, afterMs],
    ['link.addPhone', mendedBy === 'addPhone' ? links.addPhone : undefined],
    ...otherExitLinks(view),
  ]
}

/** Main targets of a page. */
const mainWays: readonly ExitLink['text'][] = ['link.signIn', 'phone.prove']

/** Returns the links for users who cannot receive the code. Several destinations share one page. */
function otherExitLinks(view: PageDecision): readonly LinkRow[] {
  const { page, challenge, links, takesRecoveryCode, changeableNumber, destinations = [], next } = view
  // At a sign-up the user can choose another number.
  const lost: LinkRow = ['phone.lost', changeableNumber ? undefined : links.lostPhone]
  const support: LinkRow = ['link.support', links.support]
  if (next !== undefined || (page === 'code' && destinations.some(({ isCurrent }) => !isCurrent))) {
    return [['resend.another', pageBy(view, 'any')], lost, support]
  }
  return [
    ['recovery.title', takesRecoveryCode ? pageBy(view, 'recovery-code') : undefined],
    lost,
    ['link.otherMethod', links.otherMethod],
    support,
    ['link.back', page === 'start' && challenge ? pageBy(view, undefined) : undefined],
  ]
}

/** Returns the URL of this page for another method. */
function pageBy(view: PageDecision, method: PageLink['method']): string {
  return pageUrl(view.basePath, { ...view, method })
}
