import { describe, expect, it } from 'vitest'
import { createPurposes } from '../../src/challenge/purposes.js'

describe('purposes', () => {
  const usual = (name: string) => ({
    name,
    maxAgeMs: 10,
    once: false,
    channels: ['sms'] as const,
    trustedDevice: false,
    browserStartable: true,
  })
  const login = { ...usual('login'), trustedDevice: true }

  it('are known when configured, or brought along by a guard', () => {
    const purposes = createPurposes([login], usual)
    expect(purposes.find('transfer')).toBeUndefined()
    expect(purposes.forGuard('transfer')).toEqual(usual('transfer'))
    expect(purposes.find('transfer')).toEqual(usual('transfer'))
    expect(purposes.forGuard('login')).toBe(login)
    expect(purposes.all()).toEqual([login, usual('transfer')])
  })

  it('keep grants for the longest age that a guard accepts', () => {
    const purposes = createPurposes([login], usual)
    expect(purposes.grantLifetimeMs('login')).toBe(10)
    purposes.accept('login', 20)
    purposes.accept('login', 5)
    expect(purposes.grantLifetimeMs('login')).toBe(20)
    expect(purposes.grantLifetimeMs('unknown')).toBe(0)
  })

  it('of a phone verification are taken from the options, but none of sign-in or of a guard', () => {
    const purposes = createPurposes([login, { ...usual('signup'), channels: ['call'] }], usual)
    expect(purposes.forEnrolment('signup')).toMatchObject({ channels: ['call'], browserStartable: false })
    expect(purposes.find('signup')).toMatchObject({ browserStartable: false })
    expect(purposes.forEnrolment('change-number')).toMatchObject({ browserStartable: false })
    expect(() => purposes.forEnrolment('login')).toThrow(TypeError)
    purposes.forGuard('transfer')
    purposes.accept('transfer', 10)
    expect(() => purposes.forEnrolment('transfer')).toThrow(
      'purpose "transfer" belongs to sign-in or a step-up',
    )
  })
})
