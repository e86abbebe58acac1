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

/** For somebody who cannot receive the code. */
export function otherWays(view: PageView, texts: Texts): readonly Html[] {
  const lostUrl = view.takesRecoveryCode
    ? pageUrl(view.basePath, { ...view, method: 'recovery-code' })
    : lostPhoneUrl(view, texts)
  return linkList([view.links.otherMethod, texts['link.otherMethod']], [lostUrl, texts['phone.lost']])
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
export function waysFromProblem(view: PageView, problem: PageProblem, texts: Texts): readonly Html[] {
  const back = again(view, problem, texts)
  const ways = [...back, ...mending(view, texts)]
  const visible = ways.length - (problem.retryAfterMs === undefined ? 0 : back.length)
  const leadsOn = ways.length > 0 && (visible > 0 || view.isCancellable || view.otherNumberMayDo)
  return leadsOn ? ways : [...ways, ...wayHome(view, texts)]
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

function again({ again: url }: PageView, { retryAfterMs }: PageProblem, texts: Texts): readonly Html[] {
  if (url === undefined || retryAfterMs === undefined) return linkList([url, texts['problem.again']])
  // A link that works only later appears when it does: until then the server would only refuse again.
  return [
    html`<p hidden data-after-ms="${retryAfterMs}"><a href="${url}">${texts['problem.again']}</a></p>
`,
  ]
}

function mending(view: PageView, texts: Texts): readonly Html[] {
  const { mendedBy, links } = view
  const { addPhone, support } = links
  return [
    ...linkList([mendedBy === 'addPhone' ? addPhone : undefined, texts['link.addPhone']]),
    ...otherWays(view, texts),
    ...linkList([support, texts['link.support']]),
  ]
}

export function changeNumber(view: PageView, texts: Texts): Html {
  return form(view, 'cancel', html`<button class="plain">${texts['phone.change']}</button>`)
}
