import { isIP } from 'node:net'

/**
 * The network that one person can be expected to createUpdater: an IPv4 address, or the /64 of an IPv6 one,
 * whose holder can pick any of 2^64 addresses. IPv4 mapped into IPv6 is unwrapped.
 */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%')
  if (isIP(bare) !== 6) return bare
  const groups = groupsOf(bare)
  const high = groups.slice(0, 4).join(':')
  const isMapped = high === '0:0:0:0' && groups[4] === '0' && groups[5] === 'ffff'
  return isMapped ? dotted(groups[6], groups[7]) : `${high}::/64`
}

/** The eight groups of an IPv6 address, in hexadecimal without leading zeros. */
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
