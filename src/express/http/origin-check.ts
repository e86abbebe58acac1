import type { Request } from 'express'
import { type ProblemCode, TwoFactorError } from '../../errors.js'
import type { Emit } from '../../events.js'
import type { Warn } from '../host/warnings.js'
import { hostOf, isCrossSite } from './origin.js'

const crossSite: ProblemCode = 'cross_site'
const maxHostLength = 100

export type OriginCheck = ReturnType<typeof createOriginCheck>

/** Creates the check that refuses posts of other sites (CSRF) and reports them, because a proxy may cause the refusal. */
export function createOriginCheck({ emit, warn }: { readonly emit: Emit; readonly warn: Warn }) {
  /** Throws `cross_site` if another site made the browser send this request. */
  return function refuseCrossSite(req: Request, allowedOrigins: readonly string[]): void {
    if (!isCrossSite(req, allowedOrigins)) return
    const isNull = req.headers.origin === 'null'
    emit({ type: 'request.refused', code: crossSite, reason: isNull ? 'origin-null' : 'other-origin' })
    if (mayBeOwnForm(req)) warn('TWO_FACTOR_CROSS_SITE', hostsOf(req))
    throw new TwoFactorError(crossSite)
  }
}

/**
 * Returns whether a form of this app may have been refused. A form of another site must not use up the warning. Browsers
 * that send `Sec-Fetch-Site` are never refused for a form of this app.
 */
function mayBeOwnForm({ headers }: Request): boolean {
  return headers['sec-fetch-site'] === undefined && headers.origin === 'null'
}

function hostsOf(req: Request): string {
  return `Origin ${printable(req.headers.origin)}, Host ${printable(hostOf(req))}`
}

/** A header is text of the client: only its printable characters reach a log. */
const printable = (name = 'none'): string => name.replaceAll(/[^ -~]/g, '').slice(0, maxHostLength)
