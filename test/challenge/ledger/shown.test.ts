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

describe('a code', () => {
  it.each<[string, Acting, ChallengeRef]>([
    ['the id of the challenge', transfer, { challenge: 'challenge-2' }],
    ['purpose and bound fields', transfer, { purpose: 'transfer', bound: '5 to Mum' }],
    ['nothing, for a sign-in,', {}, {}],
  ])('that was shown with %s is judged, and another one sent', (_name, wanted, displayed) => {
    const account = accountWith(wanted)
    expect(account.reserve({ displayed }).outcome).toMatchObject({ outcome: 'reserved' })
    expect(account.resend({ displayed })).toMatchObject({ outcome: 'booked' })
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
  ])('that was shown with %s approves nothing, and costs nothing', (_name, wanted, displayed, refused) => {
    const account = accountWith(wanted)
    const before = account.ledger
    expect(account.reserve({ displayed }).outcome).toStrictEqual(refused)
    expect(account.resend({ displayed })).toStrictEqual(refused)
    expect(account.ledger).toBe(before)
  })

  it.each<SendResult>([{ result: 'sent' }, { result: 'sent', handle: 'member', byNumber: true }])(
    'for a number that got one for another account since approves nothing, and is sent no second time',
    (sent) => {
      const account = driveLedger()
      account.start({}, sent)
      account.wait(minute)
      const [own = ''] = account.ledger.sends.map(({ id }) => id)
      for (const who of [
        { lastSends: { home: ['earlier', own], office: [] } },
        { lastSends: { office: [] } },
        {},
      ]) {
        expect(account.verify('rejected', who)).toMatchObject({ outcome: 'rejected' })
      }
      const before = account.ledger
      for (const home of [[], ['other']]) {
        const lastSends = { home, office: [own] }
        expect(account.reserve({ lastSends }).outcome).toStrictEqual(refusal('challenge_gone'))
        expect(account.resend({ lastSends })).toStrictEqual(refusal('challenge_gone'))
      }
      expect(account.ledger).toBe(before)
    },
  )

  it('is not waited for by a start, once another account has had a code', () => {
    const account = driveLedger()
    const booked = account.book()
    const lastSends = { home: [] }
    expect(account.book({ lastSends })).toMatchObject({ outcome: 'live' })
    account.settleSend(booked, { result: 'sent' })
    expect(account.book()).toMatchObject({ outcome: 'live' })
    expect(account.book({ lastSends })).toStrictEqual(refusal('resend_too_soon', minute))
    account.wait(minute)
    expect(account.book({ lastSends })).toMatchObject({ outcome: 'booked' })
  })

  it('is waited for no longer than its send can take', () => {
    const account = driveLedger()
    account.book()
    const lastSends = { home: [] }
    account.wait(account.view.limits.sendMs - 1)
    expect(account.book({ lastSends })).toMatchObject({ outcome: 'live' })
    account.wait(1)
    expect(account.book({ lastSends })).toMatchObject({ outcome: 'booked' })
  })

  it('is identified by its handle, but not during its send', () => {
    const account = driveLedger()
    const lastSends = { home: [] }
    const booked = account.book()
    expect(account.reserve({ lastSends }).outcome).toStrictEqual(refusal('challenge_gone'))
    account.settleSend(booked, { result: 'sent', handle: 'own' })
    expect(account.reserve({ lastSends }).outcome).toMatchObject({ outcome: 'reserved' })
  })

  it.each([
    ['resend', 'failed', 'home'],
    ['resend', 'misconfigured', 'home'],
    ['start', 'not-sent', 'home'],
    ['start', 'not-sent', 'office'],
  ] as const)('stays valid by its own send after a %s that was %s: %s', (command, result, factor) => {
    const account = driveLedger()
    account.start({}, { result: 'sent' })
    account.wait(minute)
    const [own = ''] = account.ledger.sends.map(({ id }) => id)
    account[command]({ factor, session: command === 'start' ? 's2' : 's1' }, { result })
    const tried = account.verify('rejected', { session: 's1', lastSends: { home: [own] } })
    expect(tried).toMatchObject({ outcome: 'rejected' })
  })
})
