import { describe, expect } from 'vitest'
import { minute } from '../kit.js'
import { driveLedger, it, type Who } from './driver.js'

type Step = (number: ReturnType<typeof driveLedger>) => unknown

/** The channels that an approval names, after these steps with a pause before each. */
function approvedAfter(steps: readonly Step[], who?: Who) {
  const number = driveLedger()
  for (const step of steps) {
    number.wait(5 * minute - 1)
    step(number)
  }
  return number.verify('approved', who)
}

const starts =
  (who: Who = {}): Step =>
  (number) =>
    number.start(who)
const resends =
  (who: Who): Step =>
  (number) =>
    number.resend(who)
/** Its code has not gone out yet. */
const isPlaced: Step = (number) => number.book({ channel: 'call' })
const isRefused: Step = (number) => number.resend({ channel: 'call' }, { result: 'failed' })
const insteadBy =
  (channel: string): Step =>
  (number) =>
    number.start({}, { result: 'sent', channel })
const passes =
  (who: Who): Step =>
  (number) =>
    number.verify('approved', who, 'first')
const succeeds: Step = (number) => {
  number.start()
  number.verify('approved', {}, 'first')
}

describe('an approval', () => {
  it.each<[string, readonly Step[], readonly string[]]>([
    ['a text message', [starts()], ['sms']],
    ['a text message and a call', [starts(), resends({ channel: 'call' })], ['sms', 'call']],
    ['a text message, while a call is placed', [starts({ purpose: 'transfer' }), isPlaced], ['sms', 'call']],
    ['a text message, of an earlier challenge', [starts(), starts({ channel: 'call' })], ['sms', 'call']],
    ['a text message, after a call that was refused', [starts(), isRefused], ['sms']],
    ['WhatsApp, which the provider took instead', [insteadBy('whatsapp')], ['whatsapp']],
    ['a text message, also where the provider says so', [insteadBy('sms')], ['sms']],
    [
      'a text message, where the success after it was under another name',
      [starts({ appName: 'Pay' }), succeeds, starts({ appName: 'Pay', channel: 'call' })],
      ['sms', 'call'],
    ],
    ['a call, after a success', [succeeds, starts({ channel: 'call' })], ['call']],
  ])('may be for the code of %s', (_name, steps, channels) => {
    expect(approvedAfter(steps)).toMatchObject({ outcome: 'approved', channels })
  })

  it('may be for the code of a text message that another kind of browser asked for', () => {
    const known = { known: true, channel: 'call' }
    const approved = { outcome: 'approved', channels: ['sms', 'call'] }
    expect(approvedAfter([starts(), starts(known)], known)).toMatchObject(approved)
    // Each call has its code once that one has been right.
    expect(approvedAfter([starts(), starts(known), passes(known), starts(known)], known)).toMatchObject({
      channels: ['call'],
    })
  })

  // A provider may leave the first code valid: whoever reads the texts alone would keep it.
  it.each([['anew', starts()] as const, ['again', resends({})] as const])(
    'may be for a text message that nobody typed, where another one that was sent %s was right',
    (_how, sends) => {
      const number = driveLedger()
      number.start()
      number.wait(minute)
      sends(number)
      number.verify('approved', {}, 'second')
      number.start({ channel: 'call' })
      expect(number.verify('approved')).toMatchObject({ channels: ['sms', 'call'] })
    },
  )

  it('is not for that of a text message that has expired', ({ started: number }) => {
    number.wait(10 * minute)
    number.start({ channel: 'call' })
    expect(number.verify('approved')).toMatchObject({ channels: ['call'] })
  })
})
