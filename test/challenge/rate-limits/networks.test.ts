import { describe, expect, it } from 'vitest'
import { networksOf } from '../../../src/challenge/rate-limits/networks.js'

describe('the networks of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['unknown', 'unknown'],
  ])('%s is counted separately', (address, name) => {
    expect(networksOf(address)).toEqual({ customer: name, site: name })
  })

  it.each([
    ['2001:db8::1', '2001:db8:0:0::/56', '2001:db8:0::/48'],
    ['2001:0DB8:0000:0000:ffff:ffff:ffff:ffff', '2001:db8:0:0::/56', '2001:db8:0::/48'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:0::/56', '2001:db8:1::/48'],
    ['2001:db8:1:abcd::1', '2001:db8:1:ab00::/56', '2001:db8:1::/48'],
    ['fe80::1%eth0', 'fe80:0:0:0::/56', 'fe80:0:0::/48'],
    ['::', '0:0:0:0::/56', '0:0:0::/48'],
    ['2001:db8:0:1:0:ffff:cb00:7107', '2001:db8:0:0::/56', '2001:db8:0::/48'],
    ['::1:ffff:cb00:7107', '0:0:0:0::/56', '0:0:0::/48'],
  ])('%s is counted by /56 and /48', (address, customer, site) => {
    expect(networksOf(address)).toEqual({ customer, site })
  })
})
