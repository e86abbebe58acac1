import { describe, expect, it } from 'vitest'
import { createKeys, createSecrets, hashId } from '../../src/challenge/keys.js'
import type { PhoneNumber } from '../../src/phone-number.js'

const older = 'an older secret of thirty-two bytes.'
const newer = 'a newer secret of thirty-two bytes..'

describe('keys', () => {
  it('hold nothing readable, differ by namespace, kind and person, and name the kind', () => {
    const secrets = createSecrets([older])
    const keys = createKeys('shop', secrets)
    const phone = '+573001234567' as PhoneNumber
    const named = [
      ['auth', keys.account('ana')],
      ['enrol', keys.enrolled(keys.number(phone))],
      ['number-sends', keys.counter('number-sends', keys.number(phone))],
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

describe('rotated secrets', () => {
  it('move no ledger: tags are made with the last one', () => {
    const before = createSecrets([older])
    const after = createSecrets([newer, older])
    expect(after.tag('number-tag', '+57300')).toBe(before.tag('number-tag', '+57300'))
    expect(after.tag('number-tag', '+57300')).not.toBe(after.tag('code-tag', '+57300'))
    expect(after.tag('number-tag', '+57300')).not.toBe(after.tag('number-tag', '+57301'))
  })

  it('derive unchanging keys, because new ones would lose every ledger, token and record', () => {
    const secrets = createSecrets([older])
    expect([
      secrets.tag('number-tag', '+573001234567'),
      secrets.tag('code-tag', '+573001234567 123456'),
      secrets.tag('bound-tag', 'text'),
      secrets.open('enrolment', 'jwXI9T1JhYPHF0ffxVkCUIwFL7VgQMi8Ic3P7K8H35_pts4RNs0PprU', 'session-1'),
    ]).toEqual([
      'CTgyK696nlAtW_srGyajg-BAhddLjz72giGNi5t4jPM',
      'YW4pfSsfKlmAFJ2TZEDbPjFn0j-sx2nYbiB2p09fIFU',
      'Vr25jRM_ZA2tCrmSpFbEJzy1G6806mipuFvupVarlVo',
      '+573001234567',
    ])
  })

  it('still open values of older secrets, and seal with the first', () => {
    const before = createSecrets([older])
    const after = createSecrets([newer, older])
    expect(after.open('enrolment', before.seal('enrolment', '+57300', 'ctx'), 'ctx')).toBe('+57300')
    expect(before.open('enrolment', after.seal('enrolment', '+57300', 'ctx'), 'ctx')).toBeUndefined()
  })

  it('open nothing under another context or for another use, nothing changed and nothing too short', () => {
    const secrets = createSecrets([older])
    const sealed = secrets.seal('enrolment', '+57300', 'session-1')
    expect(secrets.seal('enrolment', '+57300', 'session-1')).not.toBe(sealed)
    expect(secrets.open('enrolment', sealed, 'session-2')).toBeUndefined()
    for (const other of ['requirement', 'return-path', 'form', 'handle'] as const) {
      expect(secrets.open(other, sealed, 'session-1')).toBeUndefined()
    }
    for (const at of Buffer.from(sealed, 'base64url').keys()) {
      const bytes = Buffer.from(sealed, 'base64url')
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
      expect(secrets.open('enrolment', bytes.toString('base64url'), 'session-1')).toBeUndefined()
    }
    for (const behind of ['=', '.', '!', ' ', '\n', '.AAAA', 'A', '😀']) {
      expect(secrets.open('enrolment', sealed + behind, 'session-1')).toBeUndefined()
    }
    expect(secrets.open('enrolment', 'AAAA', 'session-1')).toBeUndefined()
    expect(secrets.open('enrolment', secrets.seal('enrolment', '', 'c'), 'c')).toBe('')
  })
})
