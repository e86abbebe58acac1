import { describe, expect } from 'vitest'
import type { Verdict } from '../../../src/challenge/exchange/code-provider.js'
import { unlock } from '../../../src/challenge/ledger/guessing.js'
import type { SettleOutcome } from '../../../src/challenge/ledger/ledger.js'
import { signupLimitsOf } from '../../../src/challenge/limits.js'
import { day, hour, ledgerLimits, limits, minute, refusal } from '../kit.js'
import { type Driver, driveLedger, it, startedLedger } from './driver.js'

/** No pause and no send budget, so that a test meets the limits of guessing alone. */
const guessing = {
  ...ledgerLimits,
  cooldownMs: [],
  sendsPerHour: 1_000,
  sendsPerDay: 10_000,
  allSendsPerHour: 1_000,
  allSendsPerDay: 10_000,
}

/** Fails so often, with fresh challenges as needed; waits for expiry, for a lock only where it is told to. */
function fail(account: Driver, times: number, waitMs = 10 * minute) {
  for (let failed = 0; failed < times; failed += 1) {
    if (failed % 5 === 0) {
      account.wait(waitMs)
      account.start()
    }
    account.verify('rejected')
  }
}

describe('reserving an attempt', () => {
  it('counts the attempt before the provider is asked', ({ started: account }) => {
    const attempts = { unknown: 1, known: 0 }
    expect(account.reserve().outcome).toMatchObject({ outcome: 'reserved', challenge: { attempts } })
    expect(account.side).toMatchObject({ attempts: [account.now], rejections: 0 })
    expect(account.challenge).toMatchObject({ attempts })
  })

  it('lets one check be under way until it is overdue, exactly then', ({ started: account }) => {
    account.reserve()
    expect(account.reserve().outcome).toEqual(refusal('verification_in_progress', 10_000))
    account.wait(9_999)
    expect(account.reserve().outcome).toEqual(refusal('verification_in_progress', 1))
    expect(account.side.attempts).toHaveLength(1)
    account.wait(1)
    expect(account.reserve().outcome).toMatchObject({ challenge: { attempts: { unknown: 2 } } })
  })

  it('counts an attempt once, however often a store executes it', ({ started: account }) => {
    account.reserve({}, 'code', 'attempt')
    expect(account.reserve({}, 'code', 'attempt').outcome).toMatchObject({ outcome: 'reserved' })
    expect(account.side.attempts).toHaveLength(1)
    expect(account.challenge?.attempts.unknown).toBe(1)
  })

  it('takes a code until just before expiry and none from then on', ({ fresh: account }) => {
    account.start({}, { result: 'sent', lifetimeMs: 120_000 })
    account.wait(119_999)
    expect(account.verify('unavailable')).toEqual({ outcome: 'no-verdict' })
    account.wait(1)
    expect(account.reserve().outcome).toEqual(refusal('challenge_gone'))
  })

  it('reports that another session superseded this one, except to another person who verifies the number', () => {
    expect(startedLedger().reserve({ session: 's2' }).outcome).toEqual(refusal('challenge_superseded'))
    const signup = startedLedger(signupLimitsOf(limits))
    expect(signup.reserve({ session: 's2' }).outcome).toEqual(refusal('challenge_gone'))
  })

  it('takes no code that is to have come from another place', ({ started: account }) => {
    expect(account.reserve({ factor: 'office' }).outcome).toEqual(refusal('challenge_superseded'))
    expect(account.side.attempts).toEqual([])
  })
})

describe('settling an attempt', () => {
  it('approves the attempt that holds the lease of the live challenge and forgets the failures', ({
    started: account,
  }) => {
    account.verify('rejected')
    expect(account.verify('approved')).toEqual({ outcome: 'approved', channel: 'sms' })
    expect(account.side).toMatchObject({ rejections: 0, check: undefined })
    expect(account.ledger).toMatchObject({ lockExpiresAt: 0, challenge: undefined })
    expect(account.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { unknown: 0 } } })
  })

  it('takes the sends of the approved challenge out of the hourly count, at a sign-up not out of the absolute one', () => {
    const booked = (account: Driver) => {
      const outcomes = Array.from({ length: 21 }, () => {
        const { outcome } = account.start()
        account.verify('approved')
        return outcome
      })
      return outcomes.filter((outcome) => outcome === 'booked').length
    }
    expect(booked(driveLedger())).toBe(21)
    expect(booked(driveLedger({ ...signupLimitsOf(limits), sendsPerDay: 30 }))).toBe(20)
  })

  it('leaves the sends of earlier challenges in the hourly count', ({ fresh: account }) => {
    for (let sends = 0; sends < 4; sends += 1) {
      account.start()
      account.wait(5 * minute)
    }
    account.start()
    account.verify('approved')
    expect(account.start()).toMatchObject({ outcome: 'booked' })
    account.wait(5 * minute)
    expect(account.start()).toMatchObject({ code: 'send_limit' })
  })

  it('remembers where the last code came from, where there is a choice', ({ fresh: account }) => {
    account.start({ factor: 'office', channel: 'call' })
    account.verify('approved', { hasChoice: true })
    expect(account.ledger.last).toEqual({ factor: 'office', channel: 'call' })
    account.start()
    account.verify('approved')
    expect(account.ledger.last).toBeUndefined()
  })

  it('keeps the attempt spent and unjudged when the answer was no verdict', ({ started: account }) => {
    expect(account.verify('unavailable')).toEqual({ outcome: 'no-verdict' })
    expect(account.verify('misconfigured')).toEqual({ outcome: 'no-verdict' })
    expect(account.side).toMatchObject({ attempts: [account.now, account.now], rejections: 0 })
    expect(account.challenge?.attempts.unknown).toBe(2)
  })

  it('approves nothing for a value that is no verdict', ({ started: account }) => {
    const { id } = account.reserve()
    expect(account.settle(id, undefined as unknown as Verdict)).toEqual({ outcome: 'no-verdict' })
    expect(account.ledger.usedCodes).toEqual([])
  })

  it('gives the attempt back once when nothing was sent', ({ started: account }) => {
    account.verify('rejected')
    const { id } = account.reserve()
    expect(account.settle(id, 'not-sent')).toEqual({ outcome: 'refunded' })
    expect(account.settle(id, 'not-sent')).toEqual({ outcome: 'refunded' })
    expect(account.side).toMatchObject({ attempts: [account.now], rejections: 1 })
    expect(account.challenge?.attempts.unknown).toBe(1)
  })

  it('gives nothing back that the operator had forgiven meanwhile', ({ started: account }) => {
    const { id } = account.reserve()
    account.run(unlock)
    account.settle(id, 'not-sent')
    expect(account.side.attempts).toEqual([])
    expect(account.challenge?.attempts.unknown).toBe(0)
  })

  it('gives nothing back to a challenge that replaced the attempt’s own', () => {
    const account = startedLedger(guessing)
    const { id } = account.reserve()
    account.start({ session: 's2' })
    account.settle(id, 'not-sent')
    expect(account.side.attempts).toEqual([])
    expect(account.challenge).toMatchObject({ session: 's2', attempts: { unknown: 1 } })
  })

  it.each<[Verdict, SettleOutcome]>([
    ['approved', { outcome: 'approved', channel: 'sms' }],
    ['rejected', { outcome: 'rejected', attemptsRemaining: 4, used: false }],
    ['unavailable', { outcome: 'no-verdict' }],
    ['not-sent', { outcome: 'refunded' }],
  ])('says of one that was %s the same again, whoever wrote between', (verdict, outcome) => {
    const account = startedLedger(guessing)
    const { id } = account.reserve()
    expect(account.settle(id, verdict)).toEqual(outcome)
    account.start({ session: 's2' })
    account.reserve({ session: 's2' })
    const { ledger } = account
    expect(account.settle(id, verdict)).toEqual(outcome)
    expect(account.ledger).toBe(ledger)
  })

  it('approves nothing for an attempt whose lease another attempt has taken', ({ started: account }) => {
    const late = account.reserve()
    account.wait(10_000)
    const current = account.reserve()
    expect(account.settle(late.id, 'approved')).toEqual({ outcome: 'gone' })
    expect(account.settle(current.id, 'approved')).toMatchObject({ outcome: 'approved' })
  })

  it('approves an answer that comes after expiry but still holds the lease', ({ fresh: account }) => {
    account.start({}, { result: 'sent', lifetimeMs: 60_000 })
    account.wait(59_999)
    const { id } = account.reserve()
    account.wait(20_000)
    expect(account.settle(id, 'approved')).toMatchObject({ outcome: 'approved' })
  })

  it.each([
    ['cancelled', (account: Driver) => account.cancel()],
    ['replaced', (account: Driver) => account.start({ session: 's2' })],
  ])('lets nobody in when the challenge was %s meanwhile, and remembers the code as used', (_, end) => {
    const account = startedLedger(guessing)
    const { id } = account.reserve({}, 'right')
    end(account)
    expect(account.settle(id, 'approved')).toEqual({ outcome: 'gone' })
    expect(account.ledger.usedCodes).toMatchObject([{ code: 'right' }])
    expect(account.side.attempts).toHaveLength(1)
  })

  it('changes nothing when a verification ended at the provider after its challenge was cancelled', () => {
    const account = startedLedger(guessing)
    const { id } = account.reserve()
    account.cancel()
    const { ledger } = account
    expect(account.settle(id, 'over')).toEqual({ outcome: 'gone' })
    expect(account.challenge).toEqual(ledger.challenge)
    expect(account.side.rejections).toBe(0)
  })

  it('changes nothing when a verification ended at the provider after its challenge was approved', () => {
    const account = startedLedger(guessing)
    const { id } = account.reserve()
    expect(account.verify('approved', { known: true })).toMatchObject({ outcome: 'approved' })
    const { challenge, sends } = account.ledger
    expect(account.settle(id, 'over')).toEqual({ outcome: 'gone' })
    expect([account.challenge, account.ledger.sends]).toEqual([challenge, sends])
    expect(account.side.rejections).toBe(0)
  })

  it('counts a wrong answer even when a restart took the challenge away', () => {
    const account = startedLedger(guessing)
    const { id } = account.reserve()
    account.start({ session: 's2' })
    expect(account.settle(id, 'rejected')).toEqual({ outcome: 'gone' })
    expect(account.side.rejections).toBe(1)
  })
})

describe('an earlier code of the challenge', () => {
  const patient = { ...guessing, codeLifetimeMs: 10 * minute }

  /** A challenge whose codes have the handles h1 to hn. */
  function renewed(codes: number, limits = patient) {
    const account = driveLedger(limits)
    for (let code = 1; code <= codes; code += 1) {
      const sent = { result: 'sent', lifetimeMs: 600_000, handle: `h${code}` } as const
      if (code === 1) account.start({}, sent)
      else account.resend({}, sent)
    }
    return account
  }

  it('is checked with the handles of the last three, the newest first', () => {
    expect(renewed(1).reserve().outcome).toMatchObject({ handle: 'h1', earlierHandles: undefined })
    expect(renewed(5).reserve().outcome).toMatchObject({ handle: 'h5', earlierHandles: ['h4', 'h3', 'h2'] })
    const { id, outcome } = renewed(2).reserve({}, 'code', 'twice')
    expect([id, outcome]).toMatchObject(['twice', { earlierHandles: ['h1'] }])
  })

  it('uses no attempt in any window, and is not checked twice', () => {
    const account = renewed(2)
    const answer = { outcome: 'rejected', attemptsRemaining: 5, used: false, replaced: true }
    expect(account.verify('replaced', {}, 'h1')).toEqual(answer)
    expect(account.side).toMatchObject({ attempts: [], rejections: 0, check: undefined })
    expect(account.reserve({}, 'h1').outcome).toMatchObject({ outcome: 'repeated', replaced: true })
    expect(account.reserve({ known: true }, 'h1').outcome).toMatchObject({ outcome: 'repeated' })
    expect(account.verify('approved', {}, 'h2')).toMatchObject({ outcome: 'approved' })
  })

  it('is wrong if there are not as many earlier ones', () => {
    for (const [codes, free] of [
      [1, 0],
      [2, 1],
      [3, 2],
      [9, 3],
    ] as const) {
      const account = renewed(codes)
      const answers = Array.from({ length: 8 }, () => account.verify('replaced'))
      expect(answers.filter((one) => 'replaced' in one)).toHaveLength(free)
      expect(account.side.rejections).toBe(5)
    }
  })

  it('comes back three times at most, however often a new code is sent', () => {
    const account = renewed(1)
    let free = 0
    for (let code = 2; code < 8; code += 1) {
      account.resend({}, { result: 'sent', handle: `h${code}` })
      for (let guess = 0; guess < 2; guess += 1) {
        if ('replaced' in account.verify('replaced', {}, `guess ${code} ${guess}`)) free += 1
      }
    }
    expect(free).toBe(3)
  })

  it('comes back after each send without using up what another earlier code may use', () => {
    const account = renewed(2)
    const free = (code: string) =>
      expect(account.verify('replaced', {}, code)).toMatchObject({ replaced: true })
    free('h1')
    for (const [last, earlier] of [
      ['h3', ['h1', 'h2']],
      ['h4', ['h1', 'h2', 'h3']],
    ] as const) {
      account.resend({}, { result: 'sent', handle: last })
      for (const code of earlier) free(code)
    }
    expect(account.side).toMatchObject({ attempts: [], rejections: 0 })
    expect(account.verify('replaced', {}, 'h0')).toMatchObject({ attemptsRemaining: 4 })
  })

  it('may be the right one after another send', () => {
    const account = renewed(2)
    account.verify('replaced', {}, 'h1')
    account.resend({}, { result: 'sent', handle: 'h3' })
    expect(account.verify('approved', {}, 'h1')).toMatchObject({ outcome: 'approved' })
  })

  it('is wrong if a code was sent, or another challenge started, during its check', () => {
    const again = renewed(2)
    const { id } = again.reserve({}, 'h1')
    again.resend({}, { result: 'sent', handle: 'h3' })
    expect(again.settle(id, 'replaced')).toMatchObject({ outcome: 'rejected', attemptsRemaining: 4 })
    expect(again.challenge?.replacedCodes).toBeUndefined()
    const other = renewed(2)
    const { id: gone } = other.reserve({}, 'h1')
    other.start({ session: 's2' })
    expect(other.settle(gone, 'replaced')).toEqual({ outcome: 'gone' })
    expect([again.side.rejections, other.side.rejections]).toEqual([1, 1])
  })

  it('uses an attempt if both kinds of browsers share them', () => {
    const account = renewed(2, { ...patient, attemptsAreShared: true })
    expect(account.verify('replaced', {}, 'h1')).toMatchObject({ attemptsRemaining: 4 })
  })
})

it('a repeated wrong code uses no attempt, for any of the wrong codes', ({ started: account }) => {
  for (const code of ['first', 'second']) account.verify('rejected', {}, code)
  for (const code of ['first', 'second']) {
    expect(account.reserve({}, code).outcome).toMatchObject({ outcome: 'repeated', attemptsRemaining: 3 })
  }
  expect(account.side).toMatchObject({ attempts: [account.now, account.now], rejections: 2 })
})

it('a wrong code is asked about again once another was sent, also when that came while it was judged', ({
  started: account,
}) => {
  account.verify('rejected', {}, 'first')
  account.wait(minute)
  const { id } = account.reserve({}, 'second')
  account.resend()
  expect(account.settle(id, 'rejected')).toMatchObject({ outcome: 'rejected', attemptsRemaining: 3 })
  expect(account.side.rejections).toBe(2)
  expect(account.challenge?.wrongCodes).toBeUndefined()
  expect(account.verify('rejected', {}, 'first')).toMatchObject({ attemptsRemaining: 2 })
  expect(account.verify('approved', {}, 'second')).toMatchObject({ outcome: 'approved' })
})

describe('a code about which no verdict came', () => {
  it.each<[string, (account: Driver) => void]>([
    [
      'since the provider had none',
      (account) => {
        account.verify('unavailable', {}, 'right')
        account.wait(5_000)
      },
    ],
    [
      'since the store lost it',
      (account) => {
        account.reserve({}, 'right')
        account.wait(10_000)
      },
    ],
  ])('%s, is asked about again, and may have been right if that calls it wrong', (_why, lose) => {
    const account = startedLedger()
    lose(account)
    expect(account.verify('rejected', {}, 'right')).toMatchObject({
      outcome: 'rejected',
      undecided: true,
      attemptsRemaining: 4,
    })
    expect(account.verify('rejected', {}, 'right')).toMatchObject({ outcome: 'repeated', undecided: true })
    for (const time of ['first', 'second']) {
      expect([time, account.verify('rejected', {}, 'other')]).not.toHaveProperty('1.open')
    }
  })

  it('reveals nothing about the challenge that replaced its own', () => {
    const account = startedLedger(guessing)
    const { id } = account.reserve({}, 'right')
    account.start({ session: 's2' })
    expect(account.settle(id, 'unavailable')).toEqual({ outcome: 'no-verdict' })
    expect(account.verify('rejected', { session: 's2' }, 'right')).not.toHaveProperty('open')
  })

  it('is not counted among the failures, nor is its send in the five of an hour', ({ fresh: account }) => {
    for (let sends = 0; sends < 6; sends += 1) {
      expect(account.start()).toMatchObject({ outcome: 'booked' })
      account.verify('unavailable')
      account.wait(10 * minute)
    }
    expect(account.side.rejections).toBe(0)
  })
})

describe('a code that was used before', () => {
  const used = () => {
    const account = startedLedger(guessing)
    account.verify('approved', {}, 'right')
    account.start()
    return account
  }

  it('is refused like a wrong one without asking the provider, and counts', () => {
    const account = used()
    expect(account.reserve({}, 'right').outcome).toMatchObject({
      outcome: 'rejected',
      attemptsRemaining: 4,
      used: true,
    })
    expect(account.side).toMatchObject({ attempts: [account.now], rejections: 1, check: undefined })
  })

  it('is remembered for a day, exactly, and takes no room from then on', () => {
    const account = used()
    account.wait(day - 1)
    account.start()
    expect(account.reserve({}, 'right').outcome).toMatchObject({ outcome: 'rejected' })
    account.wait(1)
    account.start()
    expect(account.verify('approved', {}, 'right')).toMatchObject({ outcome: 'approved' })
    expect(account.ledger.usedCodes).toEqual([{ code: 'right', at: account.now }])
  })

  it('is remembered among the newest twenty', () => {
    const account = driveLedger(guessing)
    for (let code = 0; code < 22; code += 1) {
      account.start()
      account.verify('approved', {}, `code-${code}`)
    }
    const codes = account.ledger.usedCodes.map(({ code }) => code)
    expect([codes.length, codes.at(0), codes.at(-1)]).toEqual([20, 'code-2', 'code-21'])
  })
})

describe('a code of an app', () => {
  /** What an app shows now. */
  const stepOf = (account: Driver) => Math.floor(account.now / 30_000)

  it('is accepted once, and earlier codes are not accepted', ({ fresh: account }) => {
    const step = stepOf(account)
    expect(account.show(step)).toEqual({ outcome: 'approved', channel: 'app' })
    expect(account.ledger.lastStep).toBe(step)
    // RFC 6238, 5.2.
    for (const old of [step, step - 1]) {
      expect(account.show(old)).toMatchObject({ outcome: 'rejected', used: true })
    }
    expect(account.ledger).toMatchObject({ lastStep: step, unknown: { rejections: 2 } })
    expect(account.show(step + 1)).toMatchObject({ outcome: 'approved' })
  })

  it('counts until the lock, for which no challenge gives any more', ({ fresh: account }) => {
    const left = Array.from({ length: 10 }, () => account.show(undefined))
    expect(left.map((outcome) => 'attemptsRemaining' in outcome && outcome.attemptsRemaining)).toEqual([
      5, 5, 5, 5, 5, 4, 3, 2, 1, 0,
    ])
    expect(account.show(stepOf(account))).toMatchObject({ code: 'account_locked' })
    expect(account.show(stepOf(account), { known: true })).toMatchObject({ outcome: 'approved' })
  })

  it('keeps a sent code of another session valid, and approves a challenge of its own', () => {
    for (const [session, lives] of [
      ['s2', true],
      ['s1', false],
    ] as const) {
      const account = startedLedger()
      account.show(stepOf(account), { session })
      expect(account.challenge !== undefined).toBe(lives)
      expect(account.start({ session: 's3' }).outcome).toBe(lives ? 'refused' : 'booked')
    }
  })

  it('refunds no attempts of a cancelled challenge', ({ started: account }) => {
    account.verify('rejected')
    account.cancel()
    account.show(stepOf(account))
    expect(account.challenge?.attempts.unknown).toBe(1)
  })

  it('is taken for a challenge of this session until its end, exactly', ({ fresh: account }) => {
    const sealedChallenges = account.sealedChallenges()
    const type = (who: object, id: string) => account.reserve(who, 'code', id, sealedChallenges).outcome
    expect(type({ session: 's2' }, 'a')).toEqual(refusal('challenge_superseded'))
    expect(type({ revocationId: 'logout' }, 'a')).toEqual(refusal('challenge_gone'))
    account.wait(10 * minute - 1)
    expect(type({}, 'a')).toMatchObject({ outcome: 'reserved' })
    account.wait(1)
    expect(type({}, 'b')).toEqual(refusal('challenge_gone'))
  })
})

describe('the lock of an account', () => {
  it('begins with the tenth failure, lasts 15 minutes and lets even the right code wait', () => {
    const account = driveLedger(guessing)
    fail(account, 9)
    const tenth = account.verify('rejected')
    expect(tenth).toMatchObject({ outcome: 'rejected', attemptsRemaining: 0, lockedForMs: 15 * minute })
    expect(account.start()).toEqual(refusal('account_locked', 15 * minute))
    expect(account.resend()).toMatchObject({ code: 'account_locked' })
    expect(account.reserve({}, 'right').outcome).toMatchObject({ code: 'account_locked' })
    account.wait(15 * minute - 1)
    expect(account.start()).toEqual(refusal('account_locked', 1))
    account.wait(1)
    expect(account.start()).toMatchObject({ outcome: 'booked' })
  })

  it.each([
    ['doubles up to an hour', 15 * minute, [30 * minute, hour, hour]],
    ['is what the operator says when that is more than an hour', 2 * hour, [2 * hour]],
  ])('%s with every five further failures', (_, lockMs, longer) => {
    const account = driveLedger({ ...guessing, lockMs })
    fail(account, 10)
    const locks = longer.map(() => {
      account.wait(2 * hour)
      fail(account, 5)
      return account.ledger.lockExpiresAt - account.now
    })
    expect(locks).toEqual(longer)
  })

  it('counts only checked codes, so an outage locks no account', () => {
    const account = driveLedger(guessing)
    fail(account, 9)
    account.verify('not-sent')
    account.verify('unavailable')
    expect(account.ledger.lockExpiresAt).toBe(0)
  })
})

describe('an hour and a day', () => {
  /** As many sends and locks as one likes, two codes an hour, four a day. */
  const few = {
    ...guessing,
    failuresBeforeLock: 1_000,
    attemptsPerChallenge: 2,
    sendsPerHour: 1,
    sendsPerDay: 2,
  }

  it.each([
    ['hour', hour, few],
    ['day', day, { ...few, sendsPerHour: 2, sendsPerDay: 1 }],
  ])(
    'allow the attempts of their own codes only, not those for a code from before the %s',
    (_, window, limits) => {
      const account = startedLedger(limits)
      account.wait(9 * minute)
      for (let late = 0; late < 2; late += 1) account.verify('unavailable')
      account.wait(window - 9 * minute)
      // A code that nobody may type in its first five minutes is not sent.
      expect(account.start()).toEqual(refusal('attempts_exhausted', 9 * minute))
      account.wait(4 * minute)
      expect(account.start()).toEqual(refusal('attempts_exhausted', 5 * minute))
      account.wait(1)
      expect(account.start()).toMatchObject({ outcome: 'booked', challenge: { attempts: { unknown: 0 } } })
      account.wait(5 * minute - 2)
      expect(account.reserve().outcome).toEqual(refusal('attempts_exhausted', 1))
      account.wait(1)
      expect(account.verify('unavailable')).toEqual({ outcome: 'no-verdict' })
    },
  )

  it('refund a check that was never sent, and after a success only this check', () => {
    const account = startedLedger(few)
    account.verify('not-sent')
    account.verify('not-sent')
    expect(account.side.attempts).toEqual([])
    account.verify('unavailable')
    account.wait(minute)
    account.verify('not-sent')
    expect(account.side.attempts).toEqual([account.now - minute])
    account.verify('approved')
    // Brute force: each success of the owner would give somebody else a new hour.
    expect(account.side.attempts).toEqual([account.now - minute])
  })

  it('remember no check of the day before', () => {
    const account = startedLedger(few)
    account.verify('unavailable')
    account.wait(day - 1)
    account.start()
    account.verify('unavailable')
    expect(account.side.attempts).toHaveLength(2)
    account.wait(1)
    account.verify('unavailable')
    expect(account.side.attempts).toEqual([account.now - 1, account.now])
  })
})

describe('an account with a hundred wrong answers', () => {
  it('is disabled with the hundredth, which reports it, and checks no further code', () => {
    const account = driveLedger(guessing)
    fail(account, 99, hour)
    expect(account.verify('rejected')).toMatchObject({ disabled: true })
    expect(account.reserve().outcome).toEqual(refusal('account_disabled'))
    account.wait(hour)
    expect(account.start()).toEqual(refusal('account_disabled'))
  })

  it('is none where a number is being proven', () => {
    const { failuresBeforeDisable, browsersAreKnown } = signupLimitsOf(limits)
    expect(browsersAreKnown).toBe(false)
    const account = driveLedger({ ...guessing, failuresBeforeDisable })
    fail(account, 120, hour)
    account.wait(hour)
    expect(account.start()).toMatchObject({ outcome: 'booked' })
  })
})

it('a check holds for longer than its deadline by the way back to the store, also to a slow one', () => {
  const holdOf = (storeTimeoutMs: number) =>
    signupLimitsOf({ ...limits, verifyTimeoutMs: 8_000, storeTimeoutMs }).checkMs
  expect([250, 500, 5_000].map(holdOf)).toEqual([10_000, 10_000, 28_000])
})
