import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { createAddressOf } from '../../src/express/host/requester.js'

interface Counted {
  /** By the socket: none at a socket of Unix. */
  readonly remoteAddress?: string | undefined
  readonly hungUp?: boolean
  /** By Express, where it trusts a proxy. */
  readonly ip?: string | undefined
  readonly trusts: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** Which address is counted for such a request, and what the host is warned of. */
function counted({ remoteAddress, hungUp = false, ip, trusts, headers = {} }: Counted) {
  const warned: string[] = []
  const socket = { remoteAddress, destroyed: hungUp }
  const req = { app: { enabled: () => trusts }, socket, headers, ip } as unknown as Request
  return { ...createAddressOf((code) => void warned.push(code))(req), warned }
}

const unknown = { address: 'unknown', proxied: true }
const missing = ['TWO_FACTOR_TRUST_PROXY_MISSING']
const client = '203.0.113.9'
const forwarded = { forwarded: `for=${client}` }

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
  it.each(privateAddresses)('is the address of a proxy at %s, unless Express trusts it', (remoteAddress) => {
    const proxy = { address: remoteAddress, proxied: true }
    const asked = { remoteAddress, ip: client, headers: forwarded }
    expect(counted({ ...asked, trusts: false })).toEqual({ ...proxy, warned: missing })
    expect(counted({ ...asked, trusts: false, headers: {} })).toEqual({ ...proxy, warned: [] })
    expect(counted({ ...asked, trusts: true })).toEqual({ address: client, proxied: false, warned: [] })
  })

  it.each(['203.0.113.1', '172.32.0.1', '11.0.0.1', '2001:db8::1', '::ffff:203.0.113.1'])(
    'is the socket address if %s only claims to forward',
    (address) => {
      const told = counted({ remoteAddress: address, ip: client, trusts: false, headers: forwarded })
      expect(told).toEqual({ address, proxied: false, warned: [] })
    },
  )

  it.each([
    ['203.0.113.9:51344', '203.0.113.9'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    [' 203.0.113.9 ', '203.0.113.9'],
  ])('does not depend on the port that a gateway writes: %s', (ip, address) => {
    expect(counted({ ip, trusts: true })).toEqual({ address, proxied: false, warned: [] })
  })

  it.each(['unix:', 'a name', '203.0.113.9:x'])('is shared by all invalid addresses: %s', (ip) => {
    const headers = { 'x-forwarded-for': ip }
    expect(counted({ ip, trusts: true, headers })).toEqual({ ...unknown, warned: missing })
  })

  it.each([true, false])('is one for all where there is none, with trust proxy %s', (trusts) => {
    // At a socket of Unix, where somebody else is named.
    expect(counted({ trusts, headers: forwarded })).toEqual({ ...unknown, warned: missing })
    expect(counted({ trusts })).toEqual({ ...unknown, warned: [] })
    expect(counted({ trusts, hungUp: true, headers: forwarded })).toEqual({ ...unknown, warned: [] })
  })

  it.each([
    ['one more proxy than it trusts', '203.0.113.9, 10.1.2.3', missing],
    ['none but the client, on a network of one’s own', '10.1.2.3', []],
    ['nearer proxies that it trusts', '10.1.2.3, 10.1.2.4', []],
  ])('that is private is warned of where the header names %s', (_name, forwardedFor, warned) => {
    const headers = { 'x-forwarded-for': forwardedFor }
    const told = counted({ ip: '10.1.2.3', trusts: true, headers })
    expect(told).toEqual({ address: '10.1.2.3', proxied: true, warned })
  })
})
