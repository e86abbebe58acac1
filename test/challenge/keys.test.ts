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

  it('are remembered without mixing them up, however many there are', () => {
    const keys = createKeys('', createSecrets([older]))
    const made = (index: number) => [hashId(`session-${index}`), keys.number(`+57301${index}` as PhoneNumber)]
    const first = made(0)
    for (let index = 0; index < 3_000; index += 1) made(index)
    expect(made(0)).toEqual(first)
    expect(new Set([...first, ...made(1)]).size).toBe(4)
  })
})
