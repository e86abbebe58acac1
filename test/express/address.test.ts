import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { createAddressOf } from '../../src/express/host/requester.js'

/** A request from a socket, through a proxy that says so or not, to an app that trusts proxies or does not. */
function asked(remoteAddress: string | undefined, forwarded: boolean, trusts = false) {
  const warned: string[] = []
  const req = {
    app: { enabled: () => trusts },
    socket: { remoteAddress },
    headers: forwarded ? { forwarded: 'for=203.0.113.9' } : {},
    ip: remoteAddress === undefined ? undefined : '203.0.113.9',
  } as unknown as Request
  return { ...createAddressOf((code) => void warned.push(code))(req), warned }
}

const privateAddresses = [
  '10.1.2.3',
  '127.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.1.1',
  '::1',
  'fd00::1',
  'fe80::1',
  '::ffff:10.1.2.3',
]

describe('the address that is counted', () => {
  it.each(privateAddresses)('is taken for that of a proxy at %s, whatever the headers say', (remote) => {
    const address = { address: remote, proxied: true }
    expect(asked(remote, true)).toEqual({ ...address, warned: ['TWO_FACTOR_TRUST_PROXY_MISSING'] })
    expect(asked(remote, false)).toEqual({ ...address, warned: [] })
  })

  it.each(['203.0.113.1', '172.32.0.1', '11.0.0.1', '2001:db8::1', '::ffff:203.0.113.1'])(
    'is that of the socket when %s only claims to forward',
    (remote) => {
      expect(asked(remote, true)).toEqual({ address: remote, proxied: false, warned: [] })
    },
  )

  it.each(privateAddresses)('is that of Express when it trusts the proxy at %s', (remote) => {
    expect(asked(remote, true, true)).toEqual({ address: '203.0.113.9', proxied: false, warned: [] })
  })

  it.each([true, false])('is one for all clients that have hung up, with trust proxy %s', (trusts) => {
    expect(asked(undefined, true, trusts)).toEqual({ address: 'unknown', proxied: true, warned: [] })
  })
})
