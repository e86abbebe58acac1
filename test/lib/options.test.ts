import { describe, expect, it } from 'vitest'
import {
  boolean,
  type Check,
  checkOptions,
  durationMs,
  func,
  integer,
  list,
  nonEmptyString,
  object,
  oneOf,
  record,
  that,
  timeoutMs,
  withMethods,
} from '../../src/lib/options.js'

const checks = {
  maxLedgers: integer(1),
  timeoutMs,
  strict: boolean,
  now: func('() => milliseconds'),
  key: nonEmptyString('the account key'),
  mode: oneOf('observe', 'enforce'),
  countries: list(
    that("must be an upper-case ISO 3166-1 alpha-2 code, such as 'GB'", (code) =>
      /^[A-Z]{2}$/.test(String(code)),
    ),
    'must list at least one country',
    1,
  ),
  limits: object({ lockMs: integer(1, 100) }),
  purposes: record(object({ once: boolean }), 'must be an object of purposes'),
  store: withMethods(['read', 'swap'], 'must be a store'),
}

const right = {
  maxLedgers: 1,
  timeoutMs: 2 ** 31 - 1,
  strict: false,
  now: () => 0,
  key: 'k',
  mode: 'enforce',
  countries: ['GB'],
  limits: { lockMs: 100 },
  purposes: { login: { once: true } },
  store: { read() {}, swap() {} },
}

const refused = (given: unknown, required: readonly string[] = []): unknown => {
  try {
    checkOptions('make', given, checks, required)
  } catch (error) {
    return error
  }
  return undefined
}

describe('options', () => {
  it.each([
    [{ maxLedger: 1 }, 'make: unknown option "maxLedger"; did you mean "maxLedgers"?'],
    [{ stict: true }, 'make: unknown option "stict"; did you mean "strict"?'],
    [{ colour: 'red' }, `make: unknown option "colour"; expected: ${Object.keys(checks).join(', ')}`],
    [{ nw: 1 }, 'make: unknown option "nw"; did you mean "now"?'],
    [{ maxLedgers: 0 }, 'make: maxLedgers must be an integer, 1 or more'],
    [{ maxLedgers: Number.NaN }, 'make: maxLedgers must be an integer, 1 or more'],
    [{ maxLedgers: '5' }, 'make: maxLedgers must be an integer, 1 or more'],
    [{ maxLedgers: null }, 'make: maxLedgers must be an integer, 1 or more'],
    [{ timeoutMs: 2 ** 31 }, 'make: timeoutMs must be an integer from 1 to 2147483647 (milliseconds)'],
    [{ strict: 'yes' }, 'make: strict must be true or false'],
    [{ now: 5 }, 'make: now must be a function () => milliseconds'],
    [{ key: '' }, 'make: key must be a non-empty string: the account key'],
    [{ mode: 'off' }, "make: mode must be 'observe' or 'enforce'"],
    [{ countries: [] }, 'make: countries must list at least one country'],
    [
      { countries: ['CO', 'gb'] },
      "make: countries[1] must be an upper-case ISO 3166-1 alpha-2 code, such as 'GB'",
    ],
    [
      { countries: new Array(2) },
      "make: countries[0] must be an upper-case ISO 3166-1 alpha-2 code, such as 'GB'",
    ],
    [{ limits: { lokMs: 1 } }, 'make: unknown option "limits.lokMs"; did you mean "lockMs"?'],
    [{ limits: { lockMs: 101 } }, 'make: limits.lockMs must be an integer from 1 to 100'],
    [{ limits: [] }, 'make: limits must be an object with: lockMs'],
    [{ purposes: { login: { once: 1 } } }, 'make: purposes.login.once must be true or false'],
    [{ purposes: 'login' }, 'make: purposes must be an object of purposes'],
    [{ store: { read() {} } }, 'make: store must be a store'],
    [new Map([['key', 'k']]), `make: options must be an object with: ${Object.keys(checks).join(', ')}`],
    [Promise.resolve({}), `make: options must be an object with: ${Object.keys(checks).join(', ')}`],
    [{ purposes: { '': {} } }, 'make: purposes must be an object of purposes'],
    [null, `make: options must be an object with: ${Object.keys(checks).join(', ')}`],
    [[], `make: options must be an object with: ${Object.keys(checks).join(', ')}`],
  ])('%j is refused by name', (given, message) => {
    expect(refused(given)).toMatchObject({ name: 'TypeError', code: 'ERR_TWO_FACTOR_OPTION', message })
  })

  it('pass when each is as it must be, up to the bounds themselves', () => {
    expect(refused(right, Object.keys(right))).toBeUndefined()
    expect(refused({ mode: 'observe', limits: { lockMs: 1 }, purposes: {} })).toBeUndefined()
  })

  it('names every required option that is missing, but a misspelt one first', () => {
    expect(refused({ key: 'k' }, ['key', 'store', 'now'])).toMatchObject({
      message: 'make: missing store, now',
    })
    expect(refused({ keyy: 'k' }, ['key'])).toMatchObject({
      message: 'make: unknown option "keyy"; did you mean "key"?',
    })
  })

  it('that are missing come with lines to paste', () => {
    const toPaste = { key: "'k', // the account key", store: 'memoryStore(),' }
    const missing = (given: object) => {
      try {
        checkOptions('make', given, checks, toPaste)
      } catch (error) {
        return (error as Error).message
      }
      return undefined
    }
    expect(missing({})).toBe(
      "make: missing key, store; add\n  key: 'k', // the account key\n  store: memoryStore(),",
    )
    expect(missing({ key: 'k' })).toBe('make: missing store; add\n  store: memoryStore(),')
  })

  it('of a long table are looked up in the README', () => {
    const table = (length: number) =>
      Object.fromEntries(Array.from({ length }, (_, index) => [`option${index}`, boolean]))
    const unknown = (length: number) => () => checkOptions('make', { colour: 'red' }, table(length))
    expect(unknown(12)).toThrow('make: unknown option "colour"; expected: option0, option1,')
    expect(unknown(13)).toThrow('make: unknown option "colour"; see the options table in the README')
  })

  it('says what a value must be, with its unit, whether it is one of words, numbers or neither', () => {
    const message = (check: Check) => {
      try {
        check(undefined, 'option')
      } catch (error) {
        return (error as Error).message
      }
      return undefined
    }
    expect([durationMs, nonEmptyString(), oneOf(1, 'auto', false)].map(message)).toEqual([
      'option must be an integer, 1 or more (milliseconds)',
      'option must be a non-empty string',
      "option must be 1 or 'auto' or false",
    ])
  })

  it('may be inherited or those of a class', () => {
    class Config {
      readonly key = 'k'
      get strict(): unknown {
        return true
      }
    }
    expect(refused(new Config(), ['key', 'strict'])).toBeUndefined()
    expect(refused(Object.create({ key: 'k' }), ['key'])).toBeUndefined()
    expect(refused(Object.create({ key: 5 }))).toMatchObject({
      message: 'make: key must be a non-empty string: the account key',
    })
  })

  it('that are undefined count as absent', () => {
    expect(refused({ maxLedgers: undefined, key: 'k' }, ['key'])).toBeUndefined()
    expect(refused({ key: undefined }, ['key'])).toMatchObject({ message: 'make: missing key' })
  })

  it('never quote a value, which may be a secret', () => {
    expect(String(refused({ mode: 'hunter2' }))).not.toContain('hunter2')
  })

  it('leave an error that no check threw as it is', () => {
    const broken = {
      a: () => {
        throw new RangeError('broken check')
      },
    }
    expect(() => checkOptions('make', { a: 1 }, broken)).toThrow(RangeError)
  })
})
