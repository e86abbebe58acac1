import { describe, expect, it } from 'vitest'
import type { ProblemCode } from '../../../src/errors.js'
import { httpStatusOf } from '../../../src/errors.js'
import { type PageFacts, pageFor } from '../../../src/express/pages/page-for.js'
import type { PageProblem, PageView } from '../../../src/express/pages/page-view.js'
import { codeView, coolingDown, phoneView, recoveryView, startView, states } from './views.js'

const factor = { methods: ['passkey'], channels: [] }

describe('the page', () => {
  it.each<[string, PageFacts, string]>([
    ['starts where nothing is known', startView, 'start'],
    ['takes a number at signup', phoneView, 'phone'],
    ['takes the code that is on its way', codeView, 'code'],
    ['takes a recovery code where one is asked for', recoveryView, 'recovery'],
    ['takes none where none will do', { ...recoveryView, takesRecoveryCode: false }, 'start'],
    ['takes none for a requirement that ran out', { ...recoveryView, isExpired: true }, 'problem'],
    ['has no form for a requirement that ran out', { ...startView, isExpired: true }, 'problem'],
    [
      'lets the person choose another way than the code that is awaited',
      { ...codeView, method: 'any' },
      'start',
    ],
    ['takes the code that was posted with one', { ...codeView, isExpired: true }, 'code'],
    ['has no form where only another factor will do', { ...startView, ...factor }, 'problem'],
    [
      'takes a recovery code where no other will do',
      { ...recoveryView, ...factor, method: undefined },
      'recovery',
    ],
    ['has no form on a route of the host', { ...codeView, formless: true }, 'problem'],
    ['leads on after the proof', { ...codeView, proven: true, problem: { code: 'challenge_gone' } }, 'done'],
    ['posts the form that waited', { ...codeView, resumed: true }, 'resume'],
  ])('%s', (_name, facts, page) => {
    expect(pageFor(facts).page).toBe(page)
  })

  const always = ['start', 'code', 'phone', 'recovery']
  const left: Partial<Record<ProblemCode, readonly string[]>> = {
    attempts_exhausted: ['recovery'],
    capacity: [],
    cross_site: [],
    destination_not_allowed: ['phone'],
    method_not_allowed: [],
    no_phone: [],
    not_identified: [],
    account_disabled: [],
    account_locked: [],
    send_limit: ['code', 'phone', 'recovery'],
    send_refused: [],
    session_unavailable: [],
    store_unavailable: [],
    unsupported_media_type: [],
  }
  const codes = Object.keys(httpStatusOf) as ProblemCode[]

  it.each(codes)('keeps its form after %s only where that may help', (code) => {
    const pages = [startView, codeView, phoneView, recoveryView].map(
      (facts) => pageFor({ ...facts, problem: { code } }).page,
    )
    expect(pages.filter((page) => page !== 'problem')).toEqual(left[code] ?? always)
  })

  const fields: Partial<Record<ProblemCode, readonly string[]>> = {
    challenge_superseded: ['code'],
    code_not_accepted: ['code', 'recovery', 'pair'],
    destination_not_allowed: ['phone'],
    invalid_request: ['code', 'phone', 'recovery', 'pair'],
    payload_too_large: ['code', 'phone', 'recovery', 'pair'],
  }

  it.each(codes)('leads after %s to the field that it can be mended in, and to no other', (code) => {
    const pairView = states['a new app'] ?? startView
    const faulty = [startView, codeView, phoneView, recoveryView, pairView].flatMap(
      (facts) => pageFor({ ...facts, problem: { code } }).faultyField ?? [],
    )
    expect(faulty).toEqual(fields[code] ?? [])
  })

  it('is the page of the app while its code is pending', () => {
    expect(pageFor({ ...codeView, method: 'app' }).method).toBe('app')
    expect(pageFor({ ...startView, method: 'app' }).method).toBeUndefined()
  })

  it('has one button for the next code, for where the last one went, unless others are free first', () => {
    const ranOut = states['expired, one of several numbers'] ?? startView
    const next = (more: Partial<PageFacts> = {}) => pageFor({ ...ranOut, ...more }).next?.id
    const waiting = { waits: { b: 9_000 }, expired: true, failed: false as const, untypedSince: 0 }
    expect(next()).toBe('b')
    expect(next({ outlook: waiting })).toBeUndefined()
    expect(next({ method: 'any' })).toBeUndefined()
    expect(next({ destinations: ranOut.destinations?.slice(0, 1) })).toBeUndefined()
  })

  it('shows no error for a wait or a sign-in, and no "Cancel" for an unknown user', () => {
    const told = codes.map((code) => pageFor({ ...startView, problem: { code } }))
    const are = (fits: (view: PageView) => boolean) => told.filter(fits).map(({ problem }) => problem?.code)
    expect(are(({ isCalm }) => isCalm === true).sort()).toEqual(['not_identified', 'resend_too_soon'])
    expect(are(({ isCancellable }) => !isCancellable).sort()).toEqual([
      'cross_site',
      'not_identified',
      'session_unavailable',
    ])
  })
})

describe('the problem that is told', () => {
  const refused = (code: ProblemCode, retryAfterMs?: number): PageFacts => ({
    ...startView,
    outlook: {
      refusal: { outcome: 'refused', code, ...(retryAfterMs && { retryAfterMs }) },
      ...{ waits: {}, expired: false, failed: false as const, untypedSince: 0 },
    },
  })
  const expired = { outlook: { waits: {}, expired: true, failed: false as const, untypedSince: 0 } }
  const noneLeft = { ...codeView, challenge: { ...codeView.challenge, attemptsRemaining: 0 } }
  const gone = { code: 'challenge_gone' } as const

  it.each<[string, PageFacts, PageProblem | undefined, number]>([
    ['is none where nothing is wrong', startView, undefined, 0],
    ['is none once the proof was given', { ...startView, resumed: true, problem: gone }, undefined, 0],
    [
      'is that no code could be sent, where a guard asks for one',
      {
        ...startView,
        outlook: { waits: {}, expired: false, failed: 'delivery_failed' as const, untypedSince: 0 },
        problem: { code: 'second_factor_required' },
      },
      { code: 'delivery_failed' },
      0,
    ],
    ['is that a code ran out', { ...startView, ...expired }, gone, 0],
    [
      'is that a code ran out at a sign-up, too',
      { ...startView, ...expired, changeableNumber: true },
      gone,
      0,
    ],
    [
      'is none where a guard simply asks',
      { ...startView, ...expired, problem: { code: 'second_factor_required' } },
      undefined,
      0,
    ],
    ['is none while a button waits', { ...startView, ...coolingDown(9_000) }, undefined, 9_000],
    [
      'is the one that came first while a button waits',
      { ...startView, ...coolingDown(9_000), problem: gone },
      gone,
      9_000,
    ],
    ['is what a start would meet', refused('sending_paused', 9_000), { code: 'sending_paused' }, 9_000],
    [
      'is what a start would meet, in place of a code that ran out',
      { ...refused('send_limit', 9_000), problem: gone },
      { code: 'send_limit' },
      9_000,
    ],
    [
      'is the one that came, where a start would meet another',
      { ...refused('send_limit', 9_000), problem: { code: 'delivery_failed' } },
      { code: 'delivery_failed' },
      9_000,
    ],
    [
      'is a lock with the longer of two waits',
      { ...refused('account_locked', 9_000), problem: { code: 'send_limit', retryAfterMs: 10_000 } },
      { code: 'account_locked', retryAfterMs: 10_000 },
      10_000,
    ],
    [
      'is told with the wait that is true',
      { ...refused('send_limit', 9_000), problem: { code: 'account_locked', retryAfterMs: 1_000 } },
      { code: 'account_locked', retryAfterMs: 9_000 },
      9_000,
    ],
    [
      'is told with the wait that is true, after too many codes as well',
      { ...refused('send_limit', 9_000), problem: { code: 'send_limit', retryAfterMs: 1_000 } },
      { code: 'send_limit', retryAfterMs: 9_000 },
      9_000,
    ],
    [
      'is that no attempt is left, until a code would be sent',
      { ...noneLeft, ...refused('send_limit', 9_000), challenge: noneLeft.challenge },
      { code: 'attempts_exhausted', retryAfterMs: 9_000 },
      9_000,
    ],
    [
      'is that no attempt is left, until the code ends',
      noneLeft,
      { code: 'attempts_exhausted', retryAfterMs: 600_000 },
      600_000,
    ],
  ])('%s', (_name, facts, problem, waitMs) => {
    const { problem: told, waitMs: wait } = pageFor(facts)
    if (problem === undefined) expect(told).toBeUndefined()
    else expect(told).toMatchObject(problem)
    if (pageFor(facts).page !== 'code') expect(wait).toBe(waitMs)
  })
})
