import { describe, expect, test } from 'vitest'
import { httpStatusOf, TwoFactorError } from '../src/errors.js'

describe('an error', () => {
  test('says its code where nothing else is said, under the status of the code', () => {
    const error = new TwoFactorError('phone_locked')
    expect(error).toMatchObject({ name: 'TwoFactorError', message: 'phone_locked', status: 429 })
    expect(Object.keys(error)).not.toContain('headers')
    expect(Object.hasOwn(error, 'cause')).toBe(false)
  })

  test('carries a message, a cause, headers and a status of its own', () => {
    const cause = new Error('socket closed')
    const headers = { 'WWW-Authenticate': 'Bearer' }
    const error = new TwoFactorError('second_factor_required', {
      message: 'Sign in',
      cause,
      headers,
      status: 401,
    })
    expect(error).toMatchObject({ message: 'Sign in', headers, status: 401, expose: true })
    expect(error.cause).toBe(cause)
  })

  test('shows its message to the caller only below 500: above, it is about the service', () => {
    for (const [code, status] of Object.entries(httpStatusOf)) {
      expect([code, new TwoFactorError(code as never).expose]).toEqual([code, status < 500])
    }
    expect(new TwoFactorError('capacity', { status: 500 }).expose).toBe(false)
    expect(new TwoFactorError('capacity', { status: 499 }).expose).toBe(true)
  })
})
