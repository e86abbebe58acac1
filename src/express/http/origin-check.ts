import type { Request } from 'express'
import { type ProblemCode, TwoFactorError } from '../../errors.js'
import type { Emit } from '../../events.js'
import type { Warn } from '../host/warnings.js'
import { hostOf, isCrossSite, isSameOrigin } from './origin.js'

const crossSite: ProblemCode = 'cross_site'
const maxHostLength = 100

export type OriginCheck = ReturnType<typeof createOriginCheck>

/** Creates the check that refuses posts of other sites (CSRF) and reports them, because a proxy may cause the refusal. */
export function createOriginCheck({ emit, warn }: { readonly emit: Emit; readonly warn: Warn }) {
  let isHostRight = false

  /** Throws `cross_site` if another site made the browser send this request. */
  return function refuseCrossSite(req: Request, allowedOrigins: readonly string[]): void {
    const { origin } = req.headers
    if (!isCrossSite(req, allowedOrigins)) {
      isHostRight ||= origin !== undefined && isSameOrigin(req, origin)
      return
    }
    emit({
      type: 'request.refused',
      code: crossSite,
      reason: origin === 'null' ? 'origin-null' : 'other-origin',
    })
    const cause = causeIfOwnForm(req, isHostRight)
    if (cause !== undefined) warn('TWO_FACTOR_CROSS_SITE', `${hostsOf(req)}${cause}`)
    throw new TwoFactorError(crossSite)
  }
}

/**
 * Returns the cause if a form of this app may have been refused, otherwise undefined. A form of another site must not use
 * up the warning. Browsers that send `Sec-Fetch-Site` are never refused for a form of this app.
 */
function causeIfOwnForm(req: Request, isHostRight: boolean): string | undefined {
  const { origin = '', 'sec-fetch-site': site, 'x-forwarded-host': forwarded, cookie } = req.headers
  if (site !== undefined) return undefined
  if (origin === 'null') return ''
  const page = urlOf(origin)
  if (page === undefined || isHostRight) return undefined
  // No page can make a browser send this header, and a proxy writes the host that the browser reached.
  if (forwarded !== undefined) {
    const reached = urlOf(`${page.protocol}//${String(forwarded).split(',')[0]}`)
    const isTrusted = req.app.enabled('trust proxy')
    if (reached?.host !== page.host || isTrusted) return undefined
    return `: \`trust proxy\` is not set, X-Forwarded-Host ${printable(reached.host)}`
  }
  // People may reach the app at an internal name. There, a page of another site has no SameSite cookie of the app.
  const host = urlOf(`${page.protocol}//${hostOf(req)}`)
  if (cookie === undefined || host === undefined) return undefined
  if (host.hostname === page.hostname)
    return host.port === page.port ? undefined : ': `Host` has another port'
  return reachOf(host) < reachOf(page) ? ': a proxy replaces `Host`' : undefined
}

const urlOf = (text: string) => (URL.canParse(text) ? new URL(text) : undefined)

/** Returns from where a host name can be reached: 0 from its machine, 1 from its network, 2 from anywhere. */
function reachOf({ hostname }: URL): number {
  if (/^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)) return 0
  const isPrivate = /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.[\d.]+$|^\[f[cde]/.test(hostname)
  return isPrivate || /^[\w-]+$|\.(?:local|internal)$/.test(hostname) ? 1 : 2
}

function hostsOf(req: Request): string {
  return `Origin ${printable(req.headers.origin)}, Host ${printable(hostOf(req))}`
}

/** A header is text of the client: only its printable characters reach a log. */
const printable = (name = 'none'): string => name.replaceAll(/[^ -~]/g, '').slice(0, maxHostLength)
