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

  it('of a guard are among the declared ones, where more than the sign-in is declared', () => {
    const purposes = createPurposes([usual('settings'), usual('pay')], usual)
    const missing = 'requireTwoFactor: purpose "transfer" is missing from the option purposes'
    expect(() => purposes.forGuard('transfer')).toThrow(`${missing}; add "transfer": {} to it`)
    expect(() => purposes.forGuard('setings')).toThrow('; did you mean "settings"?')
    expect(purposes.forGuard('settings')).toEqual(usual('settings'))
    expect(purposes.forGuard('login')).toEqual(usual('login'))
    // A phone verification brings its own.
    expect(purposes.forEnrolment('signup')).toMatchObject({ browserStartable: false })
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
    const signup = { ...usual('signup'), channels: ['call'] as const }
    const purposes = createPurposes([login, signup, usual('transfer')], usual)
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
