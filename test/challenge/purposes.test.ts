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
  const names = { login: 'Acme', signup: 'Acme signup', 'change-number': 'Acme number' }

  it('are known when configured, or brought along by a guard', () => {
    const purposes = createPurposes([login], usual, names)
    expect(purposes.find('transfer')).toBeUndefined()
    expect(purposes.forGuard('transfer')).toEqual(usual('transfer'))
    expect(purposes.find('transfer')).toEqual(usual('transfer'))
    expect(purposes.forGuard('login')).toBe(login)
  })

  it('of a guard are among the declared ones, where more than the sign-in is declared', () => {
    const purposes = createPurposes([usual('settings'), usual('pay')], usual, names)
    expect(() => purposes.forGuard('transfer')).toThrow('add "transfer": {} to it')
    expect(() => purposes.forGuard('setings')).toThrow('; did you mean "settings"?')
    expect(purposes.forGuard('settings')).toEqual(usual('settings'))
    expect(purposes.forGuard('login')).toEqual(usual('login'))
    // A phone verification brings its own.
    expect(purposes.forEnrolment('signup')).toMatchObject({ browserStartable: false })
  })

  it('that a start fixes must be configured', () => {
    const purposes = createPurposes([usual('settings')], usual, names)
    expect(() => purposes.checkStart('signup')).toThrow('add "signup": {} to it')
    for (const name of ['settings', 'login']) expect(() => purposes.checkStart(name)).not.toThrow()
    const brought = createPurposes([login], usual, names)
    brought.forGuard('transfer')
    expect(() => brought.checkStart('transfer')).not.toThrow()
  })

  it('keep grants for the longest age that a guard accepts', () => {
    const purposes = createPurposes([login], usual, names)
    expect(purposes.grantLifetimeMs('login')).toBe(10)
    purposes.accept('login', 20)
    purposes.accept('login', 5)
    expect(purposes.grantLifetimeMs('login')).toBe(20)
    expect(purposes.grantLifetimeMs('unknown')).toBe(0)
  })

  it('of a phone verification are taken from the options, but none of sign-in or of a guard', () => {
    const signup = { ...usual('signup'), channels: ['call'] as const }
    const purposes = createPurposes([login, signup, usual('transfer')], usual, names)
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

  it('send codes under the name of the sign-in, and codes of a phone verification under a name of their own', () => {
    const purposes = createPurposes([login, usual('pay')], usual, {
      ...names,
      pay: 'Acme pay',
      both: 'Acme pay',
    })
    purposes.forEnrolment('signup')
    const filed = ['login', 'pay', 'transfer', 'signup'].map((name) => purposes.appNameOf(name))
    expect(filed).toEqual(['Acme', 'Acme pay', 'Acme', 'Acme signup'])
    expect(() => purposes.forEnrolment('both')).toThrow('appName.both is also used for sign-in or step-up')
  })

  const over = (name: string, ...channels: readonly string[]) => ({ ...usual(name), channels })
  const mixed = (less: string, left: string, more: string) =>
    `purpose "${less}" excludes the channel "${left}", but "${more}" allows it under the same appName`

  it('with a shared name use equal channels, because a code by text must not pass for a code by call', () => {
    const create = (...initial: readonly ReturnType<typeof over>[]) => createPurposes(initial, usual, names)
    const one = () => create(over('login', 'sms', 'call'), over('pay', 'call'))
    expect(one).toThrow(mixed('pay', 'sms', 'login'))
    // With the line to paste.
    expect(one).toThrow('"change-number": "Acme number", "pay": "Acme pay" }')
    // The sign-in keeps its name.
    expect(() => create(login, over('pay', 'sms', 'call'))).toThrow('give "pay" an appName of its own')
    expect(() => create(over('login', 'sms', 'call'), over('pay', 'call', 'sms'))).not.toThrow()
    expect(() => create(login, over('signup', 'call'))).not.toThrow()
    // An app's code is judged here, and is none that the provider knows.
    expect(() => create(over('login', 'sms', 'app'), over('pay', 'app'), over('x', 'sms'))).not.toThrow()
    // What guards bring along comes later.
    expect(() => create(over('login', 'call')).forGuard('pay')).toThrow(mixed('login', 'sms', 'pay'))
  })

  it('of two phone verifications with a shared name need equal channels, too', () => {
    const initial = [login, over('signup', 'call'), over('change-number', 'sms')]
    const shared = { ...names, 'change-number': names.signup }
    expect(() => createPurposes(initial, usual, shared)).toThrow(mixed('signup', 'sms', 'change-number'))
    expect(() => createPurposes(initial, usual, names)).not.toThrow()
  })

  it('of sign-in that take the name of a phone verification afterwards are refused', () => {
    const purposes = createPurposes([login], usual, { ...names, transfer: 'Acme signup' })
    purposes.forEnrolment('signup')
    expect(() => purposes.forGuard('transfer')).toThrow('appName.signup is also used for sign-in or step-up')
  })
})
