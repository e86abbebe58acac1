import { describe, expect, it } from 'vitest'
import type { ChallengeRef } from '../../../src/challenge/commands.js'
import type { SendResult } from '../../../src/challenge/exchange/code-provider.js'
import { minute, refusal } from '../kit.js'
import { type Acting, driveLedger } from './driver.js'

const transfer: Acting = { purpose: 'transfer', bound: '5 to Mum' }

/** One whose live challenge, of the id `challenge-2`, is for this. */
function accountWith(wanted: Acting) {
  const account = driveLedger()
  account.start(wanted)
  account.wait(minute)
  return account
}

/** So much sent to a number, of what was asked for. */
const had = (sent: number, asked = sent) => ({ asked, sent })

describe('a code', () => {
  it.each<[string, Acting, ChallengeRef]>([
    ['the id of the challenge', transfer, { challenge: 'challenge-2' }],
    ['purpose and bound fields', transfer, { purpose: 'transfer', bound: '5 to Mum' }],
    ['nothing, for a sign-in,', {}, {}],
  ])('that was shown with %s is judged, and another one sent', (_name, wanted, shown) => {
    const account = accountWith(wanted)
    expect(account.reserve({ shown }).outcome).toMatchObject({ outcome: 'reserved' })
    expect(account.resend({ shown })).toMatchObject({ outcome: 'booked' })
  })

  const superseded = refusal('challenge_superseded')
  const unnamed = {
    outcome: 'refused',
    code: 'invalid_request',
    detail: expect.stringContaining('"challenge"'),
  }

  it.each<[string, Acting, ChallengeRef, object]>([
    ['the id of another challenge', transfer, { challenge: 'challenge-1' }, superseded],
    ['the id and another purpose', transfer, { challenge: 'challenge-2', purpose: 'login' }, superseded],
    ['the id and other fields', transfer, { challenge: 'challenge-2', bound: '9999' }, superseded],
    ['another purpose', transfer, { purpose: 'settings' }, superseded],
    ['other fields', transfer, { purpose: 'transfer', bound: '9999 to Mallory' }, superseded],
    ['its purpose and no fields', transfer, { purpose: 'transfer' }, superseded],
    [
      'fields that it is not bound to',
      { purpose: 'transfer' },
      { purpose: 'transfer', bound: 'x' },
      superseded,
    ],
    ['nothing, though it has fields,', { bound: '5 to Mum' }, {}, unnamed],
    ['nothing, though it is for another purpose,', { purpose: 'settings' }, {}, unnamed],
  ])('that was shown with %s approves nothing, and costs nothing', (_name, wanted, shown, refused) => {
    const account = accountWith(wanted)
    const before = account.ledger
    expect(account.reserve({ shown }).outcome).toStrictEqual(refused)
    expect(account.resend({ shown })).toStrictEqual(refused)
    expect(account.ledger).toBe(before)
  })

  it.each<SendResult>([{ result: 'sent' }, { result: 'sent', handle: 'member', byNumber: true }])(
    'for a number that got one for another account since approves nothing, and is sent no second time',
    (sent) => {
      const account = driveLedger()
      account.start({}, sent, { count: had(3) })
      account.wait(minute)
      // As it was, with one in vain for another account, with what was given back lost, and with the day over.
      for (const today of [had(3), had(3, 4), had(4, 3), had(0), undefined]) {
        const counts = { ...(today !== undefined && { home: today }), office: had(9) }
        expect(account.verify('rejected', { counts })).toMatchObject({ outcome: 'rejected' })
      }
      const before = account.ledger
      const counts = { home: had(4) }
      expect(account.reserve({ counts }).outcome).toStrictEqual(refusal('challenge_gone'))
      expect(account.resend({ counts })).toStrictEqual(refusal('challenge_gone'))
      expect(account.ledger).toBe(before)
    },
  )

  it('with a handle is told apart by that, and one whose send is under way by nothing yet', () => {
    const account = driveLedger()
    account.start({}, { result: 'sent', handle: 'own' }, { count: had(3) })
    expect(account.reserve({ counts: { home: had(4) } }).outcome).toMatchObject({ outcome: 'reserved' })
    const other = driveLedger()
    other.start({}, { result: 'sent' }, { count: had(3) })
    other.wait(minute)
    const again = other.bookAgain()
    expect(other.verify('rejected', { counts: { home: had(4) } })).toMatchObject({ outcome: 'rejected' })
    other.settleSend(again, { result: 'failed' }, { count: had(5) })
    expect(other.challenge).toMatchObject({ count: had(3) })
  })

  it.each([
    ['resend', 'failed', 'home', had(3, 4)],
    ['resend', 'misconfigured', 'home', had(3, 4)],
    ['start', 'not-sent', 'home', had(3, 4)],
    ['start', 'not-sent', 'office', had(3)],
  ] as const)(
    'stays the last one of its number after a %s that was %s: %s',
    (command, result, factor, count) => {
      const account = driveLedger()
      account.start({}, { result: 'sent' }, { count: had(3) })
      account.wait(minute)
      account[command]({ factor, session: command === 'start' ? 's2' : 's1' }, { result }, { count: had(4) })
      expect(account.challenge).toMatchObject({ session: 's1', count })
    },
  )
})
