import { BlockList } from 'node:net'
import type { Request } from 'express'
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

/**
 * The client address that rate limits count. Behind a proxy that Express does not know about, all
 * clients share the proxy's address: counting it would lock everyone out, so there is none.
 */
export function addressOf(req: Request, warn: Warn): string | undefined {
  if (req.app.enabled('trust proxy')) return req.ip
  const { remoteAddress } = req.socket
  if (isForwarded(req) && isPrivate(remoteAddress)) {
    warn('TWO_FACTOR_TRUST_PROXY_MISSING')
    return undefined
  }
  return remoteAddress
}

function isForwarded(req: Request): boolean {
  return req.headers['x-forwarded-for'] !== undefined || req.headers.forwarded !== undefined
}

function isPrivate(address: string | undefined): boolean {
  if (address === undefined) return true
  return privateNetworks.check(address, address.includes(':') ? 'ipv6' : 'ipv4')
}
