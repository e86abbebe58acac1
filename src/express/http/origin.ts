import { BlockList } from 'node:net'
import type { Request } from 'express'
import type { ClientAddress } from '../../challenge/budgets/networks.js'
import { memoize } from '../../lib/memoize.js'
import type { Warn } from '../host/warnings.js'
import { isForm } from './request-body.js'

// Where a request comes from: the site whose page sent it (CSRF), and the client's address, which limits count.

/**
 * Whether another site made the browser send this request (CSRF), so that forms need no token.
 *
 * Browsers state where a request comes from (Fetch Metadata, `Origin`), and no page can forge these
 * headers. `Sec-Fetch-Site` comes first because a page with the referrer policy `no-referrer` sends
 * `Origin: null` even to its own site.
 */
export function isCrossSite(req: Request, allowedOrigins: readonly string[]): boolean {
  const { origin } = req.headers
  if (origin !== undefined && allowedOrigins.includes(origin)) return false
  const site = req.headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  // Without either header the caller is not a browser, and no cookie of a victim comes along.
  return origin !== undefined && !isSameOrigin(req, origin)
}

/** Whether a page of this very origin certainly posted this form: only then may a code go out that nobody asked for (SMS pumping). */
export function isOwnForm(req: Request): boolean {
  if (req.method !== 'POST' || !isForm(req)) return false
  const { origin, 'sec-fetch-site': site } = req.headers
  return site === undefined ? origin !== undefined && isSameOrigin(req, origin) : site === 'same-origin'
}

/** Whether a URL belongs to the site that this request was sent to. */
export function isSameOrigin(req: Request, url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, host } = new URL(url)
  // Behind a proxy that terminates TLS, and without `trust proxy`, Express sees https as http.
  const sameScheme = protocol === `${req.protocol}:` || (protocol === 'https:' && req.protocol === 'http')
  const ours = hostOf(req)
  // A request of HTTP/1.0 may name no host: then no site is its own.
  if (ours === undefined || !URL.canParse(`${protocol}//${ours}`)) return false
  // Proxies may add the default port, which an origin omits.
  return sameScheme && new URL(`${protocol}//${ours}`).host === host
}

function hostOf(req: Request): string | undefined {
  const forwarded = req.app.enabled('trust proxy') ? req.get('x-forwarded-host') : undefined
  return forwarded?.split(',')[0] ?? req.headers.host
}

const privateNetworks = new BlockList()
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
] as const) {
  privateNetworks.addSubnet(network, prefix, 'ipv4')
}
privateNetworks.addAddress('::1', 'ipv6')
privateNetworks.addSubnet('fc00::', 7, 'ipv6')
privateNetworks.addSubnet('fe80::', 10, 'ipv6')

export type AddressOf = (req: Request) => ClientAddress

/**
 * The client address that rate limits count. Nothing a client sends switches it off: without `trust proxy` a
 * private address may be that of a proxy, whatever the headers say, and clients that have hung up share one.
 */
export function createAddressOf(warn: Warn): AddressOf {
  return (req) => {
    const trusted = req.app.enabled('trust proxy')
    const address = trusted ? req.ip : req.socket.remoteAddress
    if (address === undefined) return { address: 'unknown', proxied: true }
    const proxied = !trusted && isPrivate(address)
    if (proxied && isForwarded(req)) warn('TWO_FACTOR_TRUST_PROXY_MISSING')
    return { address, proxied }
  }
}

function isForwarded(req: Request): boolean {
  return req.headers['x-forwarded-for'] !== undefined || req.headers.forwarded !== undefined
}

const isPrivate = memoize((address) =>
  privateNetworks.check(address, address.includes(':') ? 'ipv6' : 'ipv4'),
)
