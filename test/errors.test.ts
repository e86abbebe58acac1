import { expect, test } from 'vitest'
import { httpStatusOf, TwoFactorError } from '../src/errors.js'

test('an error without a message shows its code, with the status of the code', () => {
  const error = new TwoFactorError('account_locked')
  expect(error).toMatchObject({ name: 'TwoFactorError', message: 'account_locked', status: 429 })
  expect(Object.keys(error)).not.toContain('headers')
  expect(Object.hasOwn(error, 'cause')).toBe(false)
})

test('an error carries a message, a cause, headers and a status of its own', () => {
  const given = {
    message: 'Sign in',
    cause: new Error('closed'),
    headers: { 'Retry-After': '5' },
    status: 401,
  }
  expect(new TwoFactorError('second_factor_required', given)).toMatchObject({ ...given, expose: true })
})

test('an error shows its message to the caller only below 500: above, it is about the service', () => {
  for (const [code, status] of Object.entries(httpStatusOf)) {
    expect([code, new TwoFactorError(code as never).expose]).toEqual([code, status < 500])
  }
  expect(new TwoFactorError('capacity', { status: 500 }).expose).toBe(false)
  expect(new TwoFactorError('capacity', { status: 499 }).expose).toBe(true)
})
