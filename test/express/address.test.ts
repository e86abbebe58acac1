import { EventEmitter } from 'node:events'
import type { Request } from 'express'
import { describe, expect, it, vi } from 'vitest'
import { createAddressOf, whenGone } from '../../src/express/host/requester.js'

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

/** The same by its parts. */
function counted({ ip, trusts, forwardedFor, socket = {} }: Counted) {
  const warned: string[] = []
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  const req = { app: { enabled: () => trusts }, socket, headers, ip } as unknown as Request
  return { ...createAddressOf((code) => void warned.push(code))(req), warned }
}

interface Counted {
  readonly ip: string | undefined
  readonly trusts: boolean
  readonly forwardedFor?: string
  readonly socket?: object
}

const unknown = { address: 'unknown', proxied: true }
const missing = ['TWO_FACTOR_TRUST_PROXY_MISSING']

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
    const gone = { remoteAddress: undefined, destroyed: true }
    expect(counted({ ip: undefined, socket: gone, trusts })).toEqual({ ...unknown, warned: [] })
  })

  it.each([
    ['203.0.113.9:51344', '203.0.113.9'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['2001:db8::7', '2001:db8::7'],
    [' 203.0.113.9 ', '203.0.113.9'],
  ])('is the same with whatever port a gateway writes: %s', (ip, address) => {
    expect(counted({ ip, trusts: true })).toEqual({ address, proxied: false, warned: [] })
  })

  it.each(['unix:', '203.0.113', 'a name', '203.0.113.9:x'])('is one for all of what is none: %s', (ip) => {
    expect(counted({ ip, trusts: true, forwardedFor: ip })).toEqual({ ...unknown, warned: missing })
  })

  it('is one for all at a socket of Unix, which has none, and the host is told', () => {
    const socket = { remoteAddress: undefined }
    for (const trusts of [true, false]) {
      expect(counted({ ip: undefined, socket, trusts, forwardedFor: '203.0.113.9' })).toEqual({
        ...unknown,
        warned: missing,
      })
      expect(counted({ ip: undefined, socket, trusts })).toEqual({ ...unknown, warned: [] })
    }
  })

  it.each([
    ['one more proxy than it trusts', '203.0.113.9, 10.1.2.3', missing],
    ['none but the client, on a network of one’s own', '10.1.2.3', []],
    ['nearer proxies that it trusts', '10.1.2.3, 10.1.2.4', []],
  ])(
    'that is private is shared by ten times the limit; the header names %s',
    (_name, forwardedFor, warned) => {
      expect(counted({ ip: '10.1.2.3', trusts: true, forwardedFor })).toEqual({
        address: '10.1.2.3',
        proxied: true,
        warned,
      })
    },
  )
})

it('tells what waits for a client that it has gone, also where it had gone before', () => {
  const res = Object.assign(new EventEmitter(), { closed: false })
  const req = { res } as unknown as Request
  const leave = vi.fn()
  whenGone(req)(leave)
  expect(leave).not.toHaveBeenCalled()
  res.emit('close')
  expect(leave).toHaveBeenCalledTimes(1)
  res.closed = true
  whenGone(req)(leave)
  expect(leave).toHaveBeenCalledTimes(2)
})
