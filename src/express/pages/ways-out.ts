import { type Html, html } from '../../lib/html.js'
import { form } from './forms.js'
import { pageUrl, signInUrl } from './links.js'
import type { Texts } from './messages/en.js'
import type { PageProblem, PageView } from './page-view.js'

type Way = readonly [url: string | undefined, text: string]

/** One link below the other; those that lead nowhere are left out. */
function linkList(...ways: readonly Way[]): readonly Html[] {
  return ways.flatMap(([url = '', text]) => {
    const link = html`<p><a href="${url}">${text}</a></p>
`
    return url === '' ? [] : [link]
  })
}

/** What the host offers to somebody who has lost the phone; empty when nothing. */
const lostPhoneUrl = ({ links }: PageView, texts: Texts): string => links.lostPhone ?? texts['phone.lostUrl']

/** For somebody who cannot receive the code: where there are other destinations, all that there is on one page. */
export function otherWays(view: PageView, texts: Texts): readonly Html[] {
  const { page, challenge, links, takesRecoveryCode, destinations = [] } = view
  const to = (method: PageView['method']) => pageUrl(view.basePath, { ...view, method })
  if (page === 'code' && destinations.some(({ isCurrent }) => !isCurrent)) {
    return linkList([to('any'), texts['resend.another']])
  }
  const lost = texts[takesRecoveryCode && destinations.length > 0 ? 'recovery.title' : 'phone.lost']
  return linkList(
    [takesRecoveryCode ? to('recovery-code') : lostPhoneUrl(view, texts), lost],
    [links.otherMethod, texts['link.otherMethod']],
    [page === 'start' && challenge ? to(undefined) : undefined, texts['link.back']],
  )
}

/** For somebody without a recovery code. */
export function waysFromRecovery(view: PageView, texts: Texts): readonly Html[] {
  const { basePath, channels, links: given } = view
  return linkList(
    [
      channels.length === 0 ? undefined : pageUrl(basePath, { ...view, method: undefined }),
      texts['recovery.byPhone'],
    ],
    [given.otherMethod, texts['link.otherMethod']],
    [lostPhoneUrl(view, texts), texts['recovery.lost']],
    [given.support, texts['link.support']],
  )
}

/** Where to look again, and where the problem can be mended when that is not on this page. */
export function waysFromProblem(
  view: PageView,
  { code, retryAfterMs }: PageProblem,
  texts: Texts,
): readonly Html[] {
  const { again, mendedBy, links, changeableNumber } = view
  const provesNumber = changeableNumber && code === 'second_factor_required'
  const isLater = again !== undefined && retryAfterMs !== undefined
  const ways = [
    ...linkList(
      [isLater ? undefined : again, texts[provesNumber ? 'phone.title' : 'problem.again']],
      [mendedBy === 'addPhone' ? links.addPhone : undefined, texts['link.addPhone']],
    ),
    ...otherWays(view, texts),
    ...linkList([links.support, texts['link.support']]),
  ]
  if (!isLater) return ways.length > 0 ? ways : wayHome(view, texts)
  // A link that works only later appears when it does: until then the server would only refuse again.
  const later = html`<p hidden data-after-ms="${retryAfterMs}"><a href="${again}">${texts['problem.again']}</a></p>
`
  const leadsOn = ways.length > 0 || view.isCancellable || view.otherNumberMayDo
  return [later, ...ways, ...(leadsOn ? [] : wayHome(view, texts))]
}

export function wayHome({ links }: PageView, texts: Texts): readonly Html[] {
  return linkList([links.home ?? '/', texts['link.home']])
}

/** For somebody who does not go on. */
export function cancelling(view: PageView, texts: Texts): Html {
  return form(view, 'cancel', html`<button class="plain">${texts['cancel.submit']}</button>`)
}

/** To the sign-in, for somebody who is not signed in. */
export function waysToSignIn({ links, returnTo }: PageView, texts: Texts): Html {
  const { signIn, home = '/' } = links
  const url = signIn === undefined ? home : signInUrl(signIn, returnTo)
  const text = texts[signIn === undefined ? 'link.home' : 'link.signIn']
  return html`<p><a class="button main" href="${url}">${text}</a></p>
`
}

export function changeNumber(view: PageView, texts: Texts): Html {
  return form(view, 'cancel', html`<button class="plain">${texts['phone.change']}</button>`)
}
