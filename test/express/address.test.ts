import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { addressOf } from '../../src/express/http/address.js'

/** A request from a socket, through a proxy that says so, to an app that trusts proxies or does not. */
function asked(remoteAddress: string | undefined, forwarded: boolean, trusts = false) {
  const warned: string[] = []
  const req = {
    app: { enabled: () => trusts },
    socket: { remoteAddress },
    headers: forwarded ? { forwarded: 'for=203.0.113.9' } : {},
    ip: '203.0.113.9',
  } as unknown as Request
  return { address: addressOf(req, (code) => void warned.push(code)), warned }
}

describe('the address that is counted', () => {
  it.each([
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
    undefined,
  ])('is none when %s forwards and Express trusts nobody', (remote) => {
    expect(asked(remote, true)).toEqual({ address: undefined, warned: ['TWO_FACTOR_TRUST_PROXY_MISSING'] })
  })

  it.each(['203.0.113.1', '172.32.0.1', '11.0.0.1', '2001:db8::1', '::ffff:203.0.113.1'])(
    'is that of the socket when %s only claims to forward',
    (remote) => {
      expect(asked(remote, true)).toEqual({ address: remote, warned: [] })
    },
  )

  it('is that of the socket when nobody forwards, and that of Express when it trusts a proxy', () => {
    expect(asked('10.1.2.3', false)).toEqual({ address: '10.1.2.3', warned: [] })
    expect(asked('10.1.2.3', true, true)).toEqual({ address: '203.0.113.9', warned: [] })
  })
})
