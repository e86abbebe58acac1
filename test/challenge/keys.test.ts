import { describe, expect, it } from 'vitest'
import { createKeys, createSecrets, hashId } from '../../src/challenge/keys.js'
import type { PhoneNumber } from '../../src/phone-number.js'

const older = 'an older secret of thirty-two bytes.'

describe('keys', () => {
  it('hold nothing readable, differ by namespace, kind and person, and name the kind', () => {
    const secrets = createSecrets([older])
    const keys = createKeys('shop', secrets)
    const phone = '+573001234567' as PhoneNumber
    const named = [
      ['auth', keys.account('ana')],
      ['enrol', keys.enrolled(keys.number(phone))],
      ['number-sends', keys.counter('number-sends', `day.${keys.number(phone)}`)],
      ['grants', keys.grants('ana')],
      ['grants', createKeys('', secrets).grants('ana')],
      ['devices', keys.devices('ana')],
      ['enrolment', keys.enrolment('session-1')],
      ['forms', keys.forms('session-1')],
      ['count-auth-forms', keys.counter('count-auth-forms', hashId('ana'))],
    ] as const
    const all = named.map(([, key]) => key)
    expect(new Set(all).size).toBe(all.length)
    expect(all.join()).not.toMatch(/573001234567|ana\b|session-1/)
    // By which a store keeps them apart.
    expect(all.map((key) => key.split(':')[2])).toEqual(named.map(([kind]) => kind))
    expect(keys.grants('ana')).toMatch(/^tf3:shop:grants:[\w-]{43}$/)
    expect(createKeys('', secrets).account('ana')).toMatch(/^tf3::auth:[\w-]{43}$/)
    expect(keys.number(phone)).toMatch(/^[\w-]{22}$/)
  })

  it('of a number are made once while it comes back', () => {
    const secrets = createSecrets([older])
    const made: string[] = []
    const tag: typeof secrets.tag = (use, text) => {
      made.push(text)
      return secrets.tag(use, text)
    }
    const keys = createKeys('', { ...secrets, tag })
    const phones = ['+573001234567', '+573001234568'] as PhoneNumber[]
    const ask = () => phones.map((phone) => keys.number(phone))
    const first = ask()
    expect(new Set(first).size).toBe(2)
    expect(ask()).toEqual(first)
    expect(made).toHaveLength(2)
    // A flood of other numbers drives them out, and changes nothing else.
    for (let other = 0; other < 1_000; other += 1) keys.number(`+57301${other}` as PhoneNumber)
    expect(ask()).toEqual(first)
    expect(made.filter((text) => text === phones[0])).toHaveLength(2)
  })

  it('remember fingerprints without mixing them up', () => {
    const first = hashId('session-0')
    for (let session = 0; session < 3_000; session += 1) hashId(`session-${session}`)
    expect(hashId('session-0')).toBe(first)
    expect(hashId('session-1')).not.toBe(first)
  })
})
