import { describe, expect, it } from 'vitest'
import type { Shown } from '../../../src/challenge/commands.js'
import { minute, refusal } from '../kit.js'
import { type Acting, driveLedger } from './driver.js'

const transfer: Acting = { purpose: 'transfer', bound: '5 to Mum' }

/** A number whose live challenge, of the id `challenge-2`, is for this. */
function numberWith(wanted: Acting) {
  const number = driveLedger()
  number.start(wanted)
  number.wait(minute)
  return number
}

describe('a code', () => {
  it.each<[string, Acting, Shown]>([
    ['the id of the challenge', transfer, { challenge: 'challenge-2' }],
    ['its id and purpose', transfer, { challenge: 'challenge-2', purpose: 'transfer' }],
    ['purpose and bound fields', transfer, { purpose: 'transfer', bound: '5 to Mum' }],
    ['the purpose of one that is bound to nothing', { purpose: 'settings' }, { purpose: 'settings' }],
    ['nothing, for a sign-in,', {}, {}],
  ])('that was shown with %s is judged, and another one sent', (_name, wanted, shown) => {
    const number = numberWith(wanted)
    expect(number.reserve({ shown }).outcome).toMatchObject({ outcome: 'reserved' })
    expect(number.resend({ shown })).toMatchObject({ outcome: 'booked' })
  })

  it.each<[string, Acting, Shown]>([
    ['the id of another challenge', transfer, { challenge: 'challenge-1' }],
    ['the id and another purpose', transfer, { challenge: 'challenge-2', purpose: 'login' }],
    ['the id and other fields', transfer, { challenge: 'challenge-2', purpose: 'transfer', bound: '9999' }],
    ['another id and its purpose', {}, { challenge: 'challenge-1', purpose: 'login' }],
    ['other fields', transfer, { purpose: 'transfer', bound: '9999 to Mallory' }],
    ['its purpose and no fields', transfer, { purpose: 'transfer' }],
    ['fields that it is not bound to', { purpose: 'transfer' }, { purpose: 'transfer', bound: '5 to Mum' }],
    ['another purpose', transfer, { purpose: 'settings' }],
  ])('that was shown with %s approves nothing, and costs nothing', (_name, wanted, shown) => {
    const number = numberWith(wanted)
    const before = number.ledger
    expect(number.reserve({ shown }).outcome).toStrictEqual(refusal('challenge_superseded'))
    expect(number.resend({ shown })).toStrictEqual(refusal('challenge_superseded'))
    expect(number.ledger).toBe(before)
  })

  it.each([
    ['bound fields', { bound: '5 to Mum' }],
    ['another purpose', { purpose: 'settings' }],
  ])('for %s has to say so', (_name, wanted) => {
    const number = numberWith(wanted)
    const before = number.ledger
    const refusal = {
      outcome: 'refused',
      code: 'invalid_request',
      detail: expect.stringContaining('"challenge"'),
    }
    expect(number.reserve({ shown: {} }).outcome).toStrictEqual(refusal)
    expect(number.resend({ shown: {} })).toStrictEqual(refusal)
    expect(number.ledger).toBe(before)
  })

  it('of a challenge that is over is told so, whatever it was shown with', () => {
    const number = numberWith(transfer)
    number.wait(10 * minute)
    for (const shown of [{}, { challenge: 'challenge-2' }, { purpose: 'settings' }]) {
      expect(number.reserve({ shown }).outcome).toMatchObject({ code: 'challenge_gone' })
    }
  })

  it('for a number that got one for another account since approves nothing, and is sent no second time', () => {
    const number = driveLedger()
    number.start({}, { result: 'sent' }, { count: 3 })
    number.wait(minute)
    for (const today of [3, 0, undefined]) {
      const counts = { ...(today !== undefined && { home: today }), office: 9 }
      expect(number.verify('rejected', { counts })).toMatchObject({ outcome: 'rejected' })
    }
    const before = number.ledger
    const counts = { home: 4 }
    expect(number.reserve({ counts }).outcome).toStrictEqual(refusal('challenge_gone'))
    expect(number.resend({ counts })).toStrictEqual(refusal('challenge_gone'))
    expect(number.ledger).toBe(before)
  })

  it('with a handle is told apart by that, and one whose send is under way by nothing yet', () => {
    const number = driveLedger()
    number.start({}, { result: 'sent', handle: 'own' }, { count: 3 })
    expect(number.reserve({ counts: { home: 4 } }).outcome).toMatchObject({ outcome: 'reserved' })
    const other = driveLedger()
    other.start({}, { result: 'sent' }, { count: 3 })
    other.wait(minute)
    const again = other.bookAgain()
    expect(other.verify('rejected', { counts: { home: 4 } })).toMatchObject({ outcome: 'rejected' })
    other.settleSend(again, { result: 'failed' })
    expect(other.challenge).toMatchObject({ count: 3 })
  })
})
