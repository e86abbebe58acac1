import { BlockList } from 'node:net'
import type { Request } from 'express'
import type { Origin } from '../../challenge/budgets/networks.js'
import { memoize } from '../../lib/memoize.js'
import type { Warn } from '../host/warnings.js'

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

export type AddressOf = (req: Request) => Origin

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
