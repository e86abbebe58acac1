import { describe, expect, it } from 'vitest'
import type { SendResult } from '../../../src/challenge/exchange/code-provider.js'
import { browserLimits, minute, refusal } from '../kit.js'
import { type Acting, driveLedger } from './driver.js'

const unconfirmed: SendResult = { result: 'unconfirmed' }
const payment: Acting = { purpose: 'transfer', bound: 'payment', tellsCodesApart: true }
const gone = refusal('challenge_gone')

/** An account with a code for a sign-in, sent a minute ago and not used. */
function setUp(earlier: Acting = {}, sent?: SendResult) {
  const account = driveLedger()
  account.start(earlier, sent)
  account.wait(minute)
  return account
}

describe('a code for bound fields, after a send that nobody confirmed', () => {
  it('is refused while an earlier code to the number may be the last one, and uses no attempt', () => {
    const account = setUp()
    account.start(payment, unconfirmed)
    expect(account.reserve(payment).outcome).toEqual(gone)
    expect(account.side.attempts).toEqual([])
  })

  it('is refused whatever is known about the earlier send, and after its challenge was cancelled', () => {
    const account = setUp({}, unconfirmed)
    account.cancel()
    account.start(payment, unconfirmed)
    expect(account.reserve(payment).outcome).toEqual(gone)
  })

  it('is accepted after a resend with a response', () => {
    const account = setUp()
    account.start(payment, unconfirmed)
    account.wait(2 * minute)
    account.resend(payment)
    expect(account.verify('approved', payment)).toMatchObject({ outcome: 'approved' })
  })

  it('is accepted after a restart with a response', () => {
    const account = setUp()
    account.start(payment, unconfirmed)
    account.cancel()
    account.wait(2 * minute)
    account.start(payment)
    expect(account.verify('approved', payment)).toMatchObject({ outcome: 'approved' })
  })

  it('is accepted after a resend without a response, if an earlier send of the challenge had one', () => {
    const account = setUp()
    account.start(payment)
    account.wait(2 * minute)
    account.resend(payment, unconfirmed)
    expect(account.verify('approved', payment)).toMatchObject({ outcome: 'approved' })
  })

  it('is accepted from the moment on at which the earlier code has expired', () => {
    const account = setUp()
    account.wait(9 * minute)
    account.start(payment, unconfirmed)
    // Ten minutes for the code, and twelve seconds in which it was sent.
    account.wait(11_999)
    expect(account.reserve(payment).outcome).toEqual(gone)
    account.wait(1)
    expect(account.reserve(payment).outcome).toMatchObject({ outcome: 'reserved' })
  })

  it('waits for the response of a send that is under way, and no longer than for its deadline', () => {
    const account = setUp()
    account.book(payment)
    expect(account.start(payment)).toMatchObject({ outcome: 'live' })
    expect(account.reserve(payment).outcome).toEqual(refusal('verification_in_progress', 12_000))
    account.wait(11_999)
    expect(account.reserve(payment).outcome).toEqual(refusal('verification_in_progress', 1))
    account.wait(1)
    expect(account.reserve(payment).outcome).toEqual(gone)
  })

  it.each<[string, () => ReturnType<typeof setUp>, Acting]>([
    ['no earlier code was sent', () => driveLedger(), payment],
    [
      'the earlier code was used',
      () => {
        const account = setUp()
        account.verify('approved')
        return account
      },
      payment,
    ],
    ['the earlier send delivered nothing', () => setUp({}, { result: 'failed' }), payment],
    ['the earlier code went to another number', () => setUp({ factor: 'office' }), payment],
    ['no fields are bound', () => setUp(), { purpose: 'transfer', tellsCodesApart: true }],
    // It accepts the earlier code after each send, so a resend would not help.
    ['the provider keeps earlier codes', () => setUp(), { ...payment, tellsCodesApart: false }],
  ])('is accepted if %s', (_, open, who) => {
    const account = open()
    account.start(who, unconfirmed)
    expect(account.verify('approved', who)).toMatchObject({ outcome: 'approved' })
  })

  it('is accepted if a handle identifies it', () => {
    const account = setUp()
    account.start(payment, { ...unconfirmed, handle: 'own' })
    expect(account.verify('approved', payment)).toMatchObject({ outcome: 'approved' })
  })
})

describe('a code for bound fields, with an earlier send under way', () => {
  const known: Acting = { ...payment, known: true, session: 'of the owner' }
  const confirmed: SendResult = { result: 'sent', lifetimeMs: 10 * minute }

  /** The owner's payment begins this long after a send for an unknown browser, which then gets its result. */
  function overlap(afterMs: number, result?: SendResult, who: Acting = {}) {
    const account = driveLedger(browserLimits)
    const earlier = account.book(who)
    account.wait(afterMs)
    account.start(known)
    if (result !== undefined) account.settleSend(earlier, result)
    return account
  }

  it.each<[string, SendResult | undefined]>([
    ['a response', confirmed],
    ['no response', unconfirmed],
    ['no result yet', undefined],
  ])('is refused if that send got %s, because the provider may have received it last', (_, result) => {
    const account = overlap(11_999, result)
    expect(account.reserve(known).outcome).toEqual(gone)
    // Another start must not return a challenge whose code is refused.
    expect(account.start(known)).toEqual(refusal('resend_too_soon', minute))
    account.wait(minute)
    account.resend(known)
    expect(account.verify('approved', known)).toMatchObject({ outcome: 'approved' })
  })

  it('is refused if that send got no response before its deadline', () => {
    const account = driveLedger(browserLimits)
    account.start({}, unconfirmed)
    account.wait(11_999)
    account.start(known)
    expect(account.reserve(known).outcome).toEqual(gone)
  })

  const other: Acting = { ...payment, bound: 'another payment' }

  it('is refused if another code of the earlier payment was correct meanwhile', () => {
    const account = setUp(other)
    const late = account.bookAgain(other)
    account.verify('approved', other)
    account.start(payment)
    account.settleSend(late, confirmed)
    expect(account.reserve(payment).outcome).toEqual(gone)
  })

  it('is refused if an app approved the earlier payment meanwhile', () => {
    const account = driveLedger()
    const late = account.book(other)
    account.show(1)
    account.start(payment)
    account.settleSend(late, confirmed)
    expect(account.reserve(payment).outcome).toEqual(gone)
  })

  it('is refused without a response, if another code was correct while the earlier send was under way', () => {
    const account = setUp(other)
    account.bookAgain(other)
    account.verify('approved', other)
    account.wait(minute)
    account.start(payment, unconfirmed)
    expect(account.reserve(payment).outcome).toEqual(gone)
  })

  it('is refused without a response, if the earlier payment was approved by an app', () => {
    const account = setUp(other)
    account.show(1)
    account.start(payment, unconfirmed)
    expect(account.reserve(payment).outcome).toEqual(gone)
  })

  it('is accepted if the only code of the earlier send was correct before its response', () => {
    const account = driveLedger()
    const early = account.book(other)
    account.verify('approved', { purpose: 'transfer' })
    account.start(payment, unconfirmed)
    account.settleSend(early, confirmed)
    expect(account.verify('approved', payment)).toMatchObject({ outcome: 'approved' })
  })

  it.each<[string, () => ReturnType<typeof overlap>]>([
    ['its deadline has passed', () => overlap(12_000, confirmed)],
    ['it delivered nothing', () => overlap(0, { result: 'failed' })],
    ['it never left', () => overlap(0, { result: 'not-sent' })],
    ['it went to another number', () => overlap(0, confirmed, { factor: 'office' })],
  ])('is accepted if %s', (_, open) => {
    expect(open().verify('approved', known)).toMatchObject({ outcome: 'approved' })
  })
})
