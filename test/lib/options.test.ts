import { describe, expect, it } from 'vitest'
import {
  boolean,
  checkOptions,
  integer,
  list,
  nonEmptyString,
  object,
  oneOf,
  record,
  withDefault,
} from '../../src/lib/options.js'

// What every factory refuses is asked of the factories; here stands what none of them shows.

const checks = {
  maxLedgers: integer(1),
  key: nonEmptyString('the account key'),
  wrongCode: oneOf(200, 'auto', false),
  countries: list(nonEmptyString(), 'must be an array of countries'),
  purposes: record(object({ once: boolean }), 'must be an object of purposes'),
}
const all = `make: options must be an object with: ${Object.keys(checks).join(', ')}`

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
    [{ wrongCode: 5 }, "make: wrongCode must be 200 or 'auto' or false"],
    [{ purposes: { '': {} } }, 'make: purposes must be an object of purposes'],
    [new Map([['key', 'k']]), all],
    [Promise.resolve({}), all],
  ])('%j is refused by name', (given, message) => {
    expect(refused(given)).toMatchObject({ name: 'TypeError', code: 'ERR_TWO_FACTOR_OPTION', message })
  })

  it('names every required option that is missing or undefined, but a misspelt one first', () => {
    expect(refused({ key: 'k', maxLedgers: undefined }, ['key', 'maxLedgers', 'purposes'])).toMatchObject({
      message: 'make: missing maxLedgers, purposes',
    })
    expect(refused({ keyy: 'k' }, ['key'])).toMatchObject({
      message: 'make: unknown option "keyy"; did you mean "key"?',
    })
  })

  it('are listed, or looked up where a page has them', () => {
    const unknown = (where: Parameters<typeof checkOptions>[0]) => () =>
      checkOptions(where, { colour: 'red' }, { key: boolean })
    expect(unknown('make')).toThrow('make: unknown option "colour"; expected: key')
    expect(unknown({ name: 'make', page: 'docs/reference.md#options' })).toThrow(
      'make: unknown option "colour"; see docs/reference.md#options',
    )
  })

  it('names every unknown one', () => {
    const message = 'make: unknown options "keyy" (did you mean "key"?), "colour"; expected: '
    expect(refused({ keyy: 'k', colour: 'red' })).toMatchObject({ message: expect.stringContaining(message) })
    const where = { name: 'make', page: 'docs/reference.md#options' }
    expect(() => checkOptions(where, { a: 1, colour: 'red' }, { key: boolean })).toThrow(
      'make: unknown options "a", "colour"; see docs/reference.md#options',
    )
  })

  it('may be inherited or members of a class', () => {
    class Config {
      readonly key = 'k'
      get maxLedgers(): unknown {
        return 0
      }
    }
    expect(refused(new Config(), ['key'])).toMatchObject({
      message: 'make: maxLedgers must be an integer, 1 or more',
    })
    expect(refused(Object.create({ key: 5 }), ['key'])).toMatchObject({
      message: 'make: key must be a non-empty string: the account key',
    })
  })

  it('are named without a meaning where there is none', () => {
    const refuse = () => checkOptions('make', { key: '' }, { key: nonEmptyString() })
    expect(refuse).toThrow(/^make: key must be a non-empty string$/)
  })

  it('are returned as a copy, with defaults that pass the checks', () => {
    const countries = ['CO']
    const table = {
      ...checks,
      maxLedgers: withDefault(5, integer(1)),
      key: withDefault('k', nonEmptyString()),
    }
    const given = Object.assign(Object.create({ maxLedgers: 7 }), { key: undefined, countries })
    const settled = checkOptions('make', given, table)
    expect(settled).toEqual({ maxLedgers: 7, key: 'k', countries: ['CO'] })
    expect(settled.countries).not.toBe(countries)
    expect(() => checkOptions('make', {}, { maxLedgers: withDefault(0, integer(1)) })).toThrow('maxLedgers')
  })

  it('leave an error that no check threw as it is', () => {
    const broken = () => {
      throw new RangeError('broken check')
    }
    expect(() => checkOptions('make', { a: 1 }, { a: broken })).toThrow(RangeError)
  })
})
