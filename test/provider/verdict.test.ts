import { describe, expect, test } from 'vitest'
import { judge } from '../../src/provider/verdict.js'

const rules = { approvedStatuses: ['verified', '1'] }

describe('an approval', () => {
  test.each([
    [{ httpStatus: 200, status: 'verified' }],
    [{ httpStatus: 200, status: 1 }],
    [{ httpStatus: 200, status: 'verified', error: null, verified: true, success: 'yes', valid: 1 }],
    [{ httpStatus: 200, status: 'verified', approved: 'approved', valid: undefined }],
  ])('is a listed status in a clean answer: %j', (answer) => {
    expect(judge(answer, rules)).toBe('approved')
  })
})

describe('a rejection', () => {
  test.each([
    [{ httpStatus: 200, status: 'wrong' }],
    [{ httpStatus: 200, status: 'Verified' }],
    [{ httpStatus: 200, status: ' verified' }],
    [{ httpStatus: 200, status: '' }],
    [{ httpStatus: 200, status: 'verified', error: 'wrong code' }],
    [{ httpStatus: 400, error: 1007 }],
    [{ httpStatus: 520, error: true, status: 'verified' }],
  ])('is an error, or a status that is not listed: %j', (answer) => {
    expect(judge(answer, rules)).toBe('rejected')
  })

  test('is only a listed error when errors are listed', () => {
    const listed = { ...rules, rejectedCodes: ['1007'] }
    expect(judge({ httpStatus: 520, error: 1007 }, listed)).toBe('rejected')
    expect(judge({ httpStatus: 520, error: '1007' }, listed)).toBe('rejected')
    expect(judge({ httpStatus: 520, error: 1000 }, listed)).toBe('unavailable')
    expect(judge({ httpStatus: 200, error: 1000, status: 'verified' }, listed)).toBe('unavailable')
  })
})

describe('a refused account', () => {
  test.each([
    [{ httpStatus: 401 }],
    [{ httpStatus: 520, error: 1003 }],
    [{ httpStatus: 200, error: 1003, status: 'verified' }],
  ])('differs from a wrong code: %j', (answer) => {
    expect(judge(answer, rules)).toBe('misconfigured')
  })

  test('is identified by the configured errors only', () => {
    const others = { ...rules, accountErrorCodes: ['9'] }
    expect(judge({ httpStatus: 520, error: 9 }, others)).toBe('misconfigured')
    expect(judge({ httpStatus: 520, error: 1003 }, others)).toBe('rejected')
  })
})

describe('no verdict', () => {
  test.each([
    [{ httpStatus: 200 }],
    [{ httpStatus: 200, status: true }],
    [{ httpStatus: 200, status: null }],
    [{ httpStatus: 200, status: ['verified'] }],
    [{ httpStatus: 200, status: { verified: true } }],
    [{ httpStatus: 200, verified: true, success: true }],
    [{ httpStatus: 200, status: 'verified', error: {} }],
    [{ httpStatus: 200, status: 'verified', error: [] }],
    [{ httpStatus: 201, status: 'verified' }],
    [{ httpStatus: 404, error: 1007 }],
    [{ httpStatus: 500, status: 'verified' }],
    [{ httpStatus: 503, error: '1003' }],
    [{ httpStatus: 408, error: 1007 }],
    [{ httpStatus: 520, status: 'wrong' }],
  ])('is everything else: %j', (answer) => {
    expect(judge(answer, rules)).toBe('unavailable')
  })

  test.each(['verified', 'valid', 'approved', 'success'])(
    'comes with %s in any spelling of false',
    (member) => {
      const spellings = [false, 0, -0, null, 'false', 'FALSE', ' False\n', 'f', '0', ' 0 ', '0.0', '-0']
      for (const no of [...spellings, 'no', 'No', 'NO ', 'n', 'off', 'null', 'none', '', ' ']) {
        expect(judge({ httpStatus: 200, status: 'verified', [member]: no }, rules)).toBe('unavailable')
      }
    },
  )

  test.each([[null], [undefined], ['verified'], [1], [[{ httpStatus: 200, status: 'verified' }]]])(
    'comes from a response that is no answer: %j',
    (answer) => {
      expect(judge(answer as never, rules)).toBe('unavailable')
    },
  )

  test('comes from members that an answer only inherits', () => {
    expect(judge(Object.create({ httpStatus: 200, status: 'verified' }), rules)).toBe('unavailable')
    expect(judge({ httpStatus: 200, ...JSON.parse('{"__proto__":{"status":"verified"}}') }, rules)).toBe(
      'unavailable',
    )
  })
})

describe('rules that are not lists of strings are a mistake', () => {
  test.each([
    ['approvedStatuses', undefined],
    ['approvedStatuses', { approvedStatuses: 'verified' }],
    ['approvedStatuses', { approvedStatuses: [1] }],
    ['rejectedCodes', { ...rules, rejectedCodes: '1007' }],
    ['accountErrorCodes', { ...rules, accountErrorCodes: [1003] }],
  ])('%s: %j', (name, wrong) => {
    const answer = { httpStatus: 200, status: '' }
    expect(() => judge(answer, wrong as never)).toThrow(
      new TypeError(`judge: ${name} must be a list of strings`),
    )
  })
})
