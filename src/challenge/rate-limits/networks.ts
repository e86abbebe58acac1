import { isIP } from 'node:net'
import { memoize } from '../../lib/memoize.js'

/** Address of a client, as the limits per address count it. */
export interface ClientAddress {
  readonly address: string
  /** True if it may be that of a proxy that Express does not know, shared by all clients behind it. */
  readonly proxied: boolean
}

/** All clients behind a proxy that `trust proxy` does not cover share one address. */
export const timesBehindProxy = 10

/** Networks by which an address is counted. */
interface Networks {
  /** Network of one customer of a provider. */
  readonly customer: string
  /** Network of a holder of a whole range. */
  readonly site: string
}

/**
 * Returns the networks of an address: an IPv4 address itself, or the /56 and the /48 of an IPv6 address. One customer
 * may hold either of these, and would otherwise have a limit for each address. IPv4 mapped into IPv6 is unwrapped.
 */
export const networksOf = memoize((address): Networks => {
  const [bare = ''] = address.split('%')
  if (isIP(bare) !== 6) return ofOne(bare)
  const groups = groupsOf(bare)
  const [a, b, c, d = '0'] = groups
  const isMapped = [a, b, c, d].every((group) => group === '0') && groups[4] === '0' && groups[5] === 'ffff'
  if (isMapped) return ofOne(dotted(groups[6], groups[7]))
  const site = [a, b, c].join(':')
  const subnet = (Number.parseInt(d, 16) & 0xff00).toString(16)
  return { customer: `${site}:${subnet}::/56`, site: `${site}::/48` }
})

const ofOne = (address: string): Networks => ({ customer: address, site: address })

/** Returns the eight groups of an IPv6 address, in hexadecimal without leading zeros. */
function groupsOf(address: string): readonly string[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [left = [], right = []] = canonical.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right]
}

function dotted(high = '0', low = '0'): string {
  const bytes = [high, low].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
  return bytes.join('.')
}
