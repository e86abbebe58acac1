import { describe, expect, it } from 'vitest'
import type { PhoneNumber } from '../../../src/phone-number.js'
import { day } from '../kit.js'
import { createService } from '../service.js'

const phone = '+573001234567' as PhoneNumber
const office = '+573007654321' as PhoneNumber

/** Opens the browser of an account by its cookie, and signs in there by a code to a number, or by anything else. */
function setUp() {
  const service = createService({ knownMaxAgeMs: 90 * day, trustedMaxAgeMs: 30 * day })
  const open = (token: string, subject = 'ana') => service.devices.open(subject, [token])
  return {
    ...service,
    open,
    succeed: async (token = '', by?: PhoneNumber) => (await open(token).succeed({ phone: by })) ?? '',
    knows: async (token: string, by = phone, subject = 'ana') => open(token, subject).isKnownAt(by),
  }
}

describe('a browser at a number', () => {
  it('is known after a correct code to this number, for this account', async () => {
    const { succeed, knows } = setUp()
    const token = await succeed('', phone)
    expect(await knows(token)).toBe(true)
    expect(await knows(token, office)).toBe(false)
    expect(await knows(token, phone, 'ben')).toBe(false)
    expect(await knows('')).toBe(false)
  })

  it('is not known after a success by any other factor', async () => {
    const { succeed, knows, open } = setUp()
    const token = await succeed()
    expect([await open(token).isKnown(), await knows(token)]).toEqual([true, false])
  })

  it('is known for 90 days, which only another code to the number renews', async () => {
    const { succeed, knows, open, wait } = setUp()
    const first = await succeed('', phone)
    wait(60 * day)
    const later = await succeed(first, office)
    const renewed = await succeed(later, phone)
    wait(30 * day)
    expect([await open(later).isKnown(), await knows(later), await knows(later, office)]).toEqual([
      true,
      false,
      true,
    ])
    expect(await knows(renewed)).toBe(true)
  })

  it('is not known after a revocation, not even when another factor succeeds there later', async () => {
    const { succeed, knows, devices, open, wait } = setUp()
    const token = await succeed('', phone)
    const request = open(token)
    wait(1)
    await devices.revokeSubject('ana')
    expect(await knows(token)).toBe(false)
    wait(1)
    expect(await knows(await succeed(token))).toBe(false)
    // Another request of the browser was under way.
    const [late, another] = [await request.succeed(), await open('').succeed()]
    expect([await knows(late ?? ''), await knows(another ?? '')]).toEqual([false, false])
  })

  it('stays known when the browser becomes trusted', async () => {
    const { succeed, knows, open } = setUp()
    const token = await succeed('', phone)
    expect(await knows((await open(token).succeed({ trust: {} })) ?? '')).toBe(true)
  })

  it('is known at the last three numbers, and by no changed cookie', async () => {
    const { succeed, knows } = setUp()
    let token = ''
    const numbers = [1, 2, 3, 4].map((digit) => `+57300123456${digit}` as PhoneNumber)
    for (const number of numbers) token = await succeed(token, number)
    const known = await Promise.all(numbers.map((number) => knows(token, number)))
    expect(known).toEqual([false, true, true, true])
    const [id, at, first, ...others] = token.split('.')
    expect(await knows([id, at, ...others].join('.'), numbers[3])).toBe(false)
    const older = [id, at, `${first?.slice(0, -1)}z`, ...others].join('.')
    expect(await knows(older, numbers[1])).toBe(false)
  })
})
