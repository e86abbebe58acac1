import { isIP } from 'node:net'

/**
 * The network that one person can be expected to hold: an IPv4 address, or the /64 of an IPv6 one,
 * whose holder can pick any of 2^64 addresses. IPv4 mapped into IPv6 is unwrapped.
 */
export function networkOf(address: string): string {
  const [bare = ''] = address.split('%')
  if (isIP(bare) !== 6) return bare
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1]
  if (mapped !== undefined) return mapped
  const groups = expand(bare)
  const high = groups.slice(0, 4).join(':')
  if (high === '0:0:0:0' && groups[4] === '0' && groups[5] === 'ffff') return dotted(groups[6], groups[7])
  return `${high}::/64`
}

/** The eight groups of an IPv6 address, lower case, without leading zeros. */
function expand(address: string): readonly string[] {
  // An embedded dotted quad stands for the last two groups, which no /64 looks at.
  const [head = '', tail] = address.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0').split('::')
  const groupsOf = (part: string) => part.split(':').filter((group) => group !== '')
  const left = groupsOf(head)
  const right = tail === undefined ? [] : groupsOf(tail)
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16).toString(16))
}

function dotted(high = '0', low = '0'): string {
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.')
}
