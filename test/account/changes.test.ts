import { describe, expect, it } from 'vitest'
import {
  type AccountChangeRequest,
  boundTo,
  detailsOf,
  type Factors,
  hasNoFactor,
  type MustKeep,
  objectionTo,
} from '../../src/account/changes.js'
import { adviceFor, riskOf } from '../../src/account/overview-page.js'
import { en } from '../../src/account/texts/en.js'
import { createSecrets } from '../../src/challenge/keys.js'
import { createBoundHash } from '../../src/challenge/proofs/stored-grant.js'
import { createOnFile } from '../../src/express/host/requester.js'

const [one, two] = ['+573001234567', '+573007654321']
const remove: AccountChangeRequest = { kind: 'number-removed', number: one }
const withApp = { numbers: [], app: true }

describe('the last way', () => {
  it.each<[what: string, Factors, AccountChangeRequest, MustKeep, string | undefined]>([
    ['one of two numbers', { numbers: [one, two] }, remove, 'factor', undefined],
    ['a number beside the app', { numbers: [one], app: true }, remove, 'factor', undefined],
    ['the app beside a number', { numbers: [one], app: true }, { kind: 'app-removed' }, 'factor', undefined],
    ['the number', { numbers: [one], app: false, recoveryCodes: 0 }, remove, 'factor', 'last_factor'],
    ['the number, where codes do', { numbers: [one] }, remove, 'recovery-codes', 'last_factor'],
    ['a number that is listed twice', { numbers: [one, one] }, remove, 'factor', 'last_factor'],
    ['the app', withApp, { kind: 'app-removed' }, 'factor', 'last_factor'],
    ['an app that is gone already', { numbers: [one] }, { kind: 'app-removed' }, 'factor', 'stale'],
    ['all but codes', { numbers: [one], recoveryCodes: 9 }, remove, 'factor', 'only_recovery_codes'],
    [
      'all but codes, where they do',
      { numbers: [one], recoveryCodes: 9 },
      remove,
      'recovery-codes',
      undefined,
    ],
    ['all of it, where it may', { numbers: [one] }, remove, 'nothing', undefined],
  ])('removed: %s', (_what, factors, change, mustKeep, objection) => {
    expect(objectionTo(change, factors, mustKeep)).toBe(objection)
  })

  it('cannot be the recovery codes, because they could not confirm a change', () => {
    const made: AccountChangeRequest = { kind: 'recovery-codes-made' }
    expect(objectionTo(made, { numbers: [], app: false, recoveryCodes: 0 }, 'factor')).toBe('no_factor')
    expect(objectionTo(made, { numbers: [], recoveryCodes: 2 }, 'recovery-codes')).toBe('no_factor')
    expect(objectionTo(made, withApp, 'factor')).toBeUndefined()
  })

  it.each<[Factors, MustKeep, string]>([
    [{ numbers: [one, two], app: true }, 'factor', 'No more codes to this number. Ways left: 2'],
    [{ numbers: [one], recoveryCodes: 9 }, 'recovery-codes', en['after.only-recovery-codes']],
    [{ numbers: [one], recoveryCodes: 9 }, 'nothing', en['after.nothing']],
  ])('names what follows (%j, %s)', (factors, mustKeep, told) => {
    expect(detailsOf(remove, { factors, mustKeep, texts: en }).rows.at(-1)).toEqual(['Afterwards', told])
  })

  it.each([
    [0, en['recovery.text']],
    [1, 'Only the new recovery codes work'],
  ])('names what recovery codes are for before there are any (%i)', (recoveryCodes, told) => {
    const factors = { numbers: [one], recoveryCodes }
    const { rows } = detailsOf({ kind: 'recovery-codes-made' }, { factors, mustKeep: 'factor', texts: en })
    expect(rows).toEqual([['Afterwards', told]])
  })

  it('is missing where nothing could confirm a change', () => {
    expect(hasNoFactor({ numbers: [] }, 'factor')).toBe(true)
    expect(hasNoFactor({ numbers: [], app: false, recoveryCodes: 0 }, 'recovery-codes')).toBe(true)
    expect(hasNoFactor({ numbers: [], recoveryCodes: 1 }, 'factor')).toBe(false)
    expect(hasNoFactor(withApp, 'nothing')).toBe(false)
    // Whoever has switched it off may switch it on again.
    expect(hasNoFactor({ numbers: [], recoveryCodes: 1 }, 'nothing')).toBe(true)
  })
})

describe('advice', () => {
  it.each<[Factors, string | undefined]>([
    [{ numbers: [] }, 'advice.none.numbers'],
    [{ numbers: [], app: false }, 'advice.none'],
    [{ numbers: [one] }, 'advice.one'],
    [{ numbers: [one], recoveryCodes: 0 }, 'advice.one.codes'],
    [{ numbers: [one], recoveryCodes: 3 }, 'advice.few'],
    [{ numbers: [one], recoveryCodes: 4 }, undefined],
    [{ numbers: [one], app: true, recoveryCodes: 0 }, undefined],
  ])('names what is missing: %j', (factors, advice) => {
    expect(adviceFor(factors)).toBe(advice)
  })
})

describe('the risk of numbers', () => {
  it.each<[Factors, string | undefined]>([
    [{ numbers: [one], app: false }, 'risk.numbers'],
    [{ numbers: [one], app: false, passkeys: [] }, 'risk.passkeys'],
    [{ numbers: [one], passkeys: [] }, 'risk.passkeys'],
    [{ numbers: [one], app: false, passkeys: [{ id: 'a', label: 'Phone' }] }, undefined],
    [{ numbers: [one], app: true, passkeys: [] }, undefined],
    [{ numbers: [one, two], app: false, recoveryCodes: 9 }, 'risk.numbers'],
    // No other way could be set up.
    [{ numbers: [one] }, undefined],
    [{ numbers: [one], app: true }, undefined],
    [{ numbers: [], app: false }, undefined],
  ])('is shown where a number is the only way and an app could be set up: %j', (factors, risk) => {
    expect(riskOf(factors)).toBe(risk)
  })
})

describe('another number', () => {
  it.each([1, 2, 3, 4, 5, 6, 7])(
    'can be added to %i numbers, up to the limit of the option `phone`',
    (count) => {
      const numbers = Array.from({ length: count }, (_, index) => `+57300000000${index}`)
      const { numbersIn } = createOnFile({ phone: () => undefined, methods: [] })
      const takesOneMore = () => numbersIn([...numbers, two])
      if (objectionTo({ kind: 'number-added', number: two }, { numbers }, 'factor') === undefined) {
        expect(takesOneMore).not.toThrow()
      } else {
        expect(takesOneMore).toThrow('a list of up to')
      }
    },
  )
})

describe('what a code is bound to', () => {
  const all: readonly AccountChangeRequest[] = [
    { kind: 'number-added', number: two },
    { kind: 'number-added', number: '+573000000000' },
    { kind: 'number-first', number: two },
    { kind: 'number-removed', number: two },
    { kind: 'device-ended', device: { id: 'a', label: 'Firefox' } },
    { kind: 'device-ended', device: { id: 'b', label: 'Firefox' } },
    { kind: 'devices-ended' },
    { kind: 'app-added' },
    { kind: 'app-removed' },
    { kind: 'recovery-codes-made' },
    { kind: 'signed-out-elsewhere' },
  ]
  const states: readonly Factors[] = [
    { numbers: [one, two] },
    { numbers: [two, one] },
    { numbers: [one, two], app: true },
  ]

  it('differs for each change and for each set of stored factors', () => {
    const bound = states.flatMap((factors) => all.map((change) => JSON.stringify(boundTo(change, factors))))
    expect(new Set(bound).size).toBe(states.length * all.length)
    // Not with recovery codes: the last one, too, is used up by the confirmation itself.
    const none = boundTo(remove, { numbers: [one], recoveryCodes: 0 })
    expect(none).toEqual(boundTo(remove, { numbers: [one], recoveryCodes: 1 }))
  })

  it('confirms a passkey and a browser that a person named "undefined"', () => {
    const hashBound = createBoundHash(createSecrets(['a secret of at least thirty-two bytes']), '')
    const named: AccountChangeRequest[] = [
      { kind: 'passkey-renamed', passkey: { id: 'k', label: '' }, name: 'undefined' },
      { kind: 'device-ended', device: { id: 'a', label: 'undefined' } },
    ]
    for (const change of named) {
      expect(hashBound(boundTo(change, { numbers: [one], passkeys: [] }))).toEqual(expect.any(String))
    }
  })

  it('is the full list of details, except for the rows below', () => {
    for (const change of all) {
      const factors = { numbers: [one, two], app: true }
      const { title, rows, action } = detailsOf(change, { factors, mustKeep: 'factor', texts: en })
      expect(rows.every(([, value]) => value.length > 0 && value.length <= 200)).toBe(true)
      expect([title, action].every((text) => text && text.length <= 60)).toBe(true)
    }
  })
})
