import { describe, expect, it } from 'vitest'
import { createHealth } from '../../../src/challenge/operator/health.js'
import type { EventBody } from '../../../src/events.js'

const noon = 1_800_000_000_000

function setUp() {
  const clock = { now: noon }
  const passedOn: EventBody[] = []
  const health = createHealth(() => clock.now)
  const emit = health.over((event) => void passedOn.push(event))
  const parts = {
    signups: { suspected: () => [{ country: 'CO', sent: 40, approved: 1 }] },
    serviceLimits: { closed: () => [] },
  }
  return { clock, passedOn, emit, parts, read: () => health.read(parts), findings: health.findings }
}

const about = {
  challengeId: 'c1',
  lane: 'auth',
  subject: 'ana',
  purpose: 'login',
  channel: 'sms',
  country: 'CO',
} as const
const asked = {
  provider: 'acme-sms',
  operation: 'sendSmsCode',
  httpStatus: 520,
  providerError: '1007: no credits',
  durationMs: 3,
}

const undelivered: EventBody = { type: 'challenge.undelivered', reason: 'failed', ...asked, ...about }
const unavailable: EventBody = {
  type: 'provider.unavailable',
  command: 'check',
  sent: true,
  reason: 'timeout',
  provider: 'acme-sms',
}

describe('health', () => {
  it('hears every event that it passes on, and only the send that the provider took is the last one', () => {
    const { clock, emit, passedOn, read } = setUp()
    const sent: EventBody = { type: 'challenge.sent', ...asked, ...about }
    emit(sent)
    clock.now += 1_000
    emit(undelivered)
    emit({ type: 'grant.revoked', subject: 'ana' })
    expect(passedOn.map(({ type }) => type)).toEqual([sent.type, undelivered.type, 'grant.revoked'])
    expect(read().provider).toMatchObject({ lastSentAt: noon, lastFailure: { type: undelivered.type } })
    expect(read().lastFailures).toHaveLength(1)
  })

  it.each<[string, EventBody, 'ok' | 'failing', object]>([
    [
      'a code that was not delivered',
      undelivered,
      'ok',
      { type: 'challenge.undelivered', provider: 'acme-sms', reason: 'failed', httpStatus: 520 },
    ],
    [
      'an account that is refused',
      { type: 'provider.misconfigured', httpStatus: 403, providerError: 'key k-1' },
      'failing',
      { type: 'provider.misconfigured', httpStatus: 403 },
    ],
  ])('keeps what an operator needs of %s, and no more', (_, event, state, kept) => {
    const { emit, read } = setUp()
    emit(event)
    const failure = { at: noon, ...kept }
    expect(read().provider).toStrictEqual({ state, lastFailure: failure })
    expect(read().lastFailures).toStrictEqual([failure])
    expect(read().store).toStrictEqual({ state: 'ok' })
  })

  it.each([
    unavailable,
    { type: 'provider.misconfigured' },
    { ...undelivered, reason: 'misconfigured' },
  ] satisfies EventBody[])('calls the provider failing for half a minute after %j', (event) => {
    const { clock, emit, read } = setUp()
    emit(event)
    clock.now += 29_999
    expect(read().provider.state).toBe('failing')
    clock.now += 1
    expect(read().provider.state).toBe('ok')
  })

  it('calls the store failing for half a minute after each failure', () => {
    const { clock, emit, read } = setUp()
    emit({ type: 'store.failed', command: 'swap', durationMs: 250, cause: 'OOM' })
    const lastFailure = { at: noon, type: 'store.failed', command: 'swap', cause: 'OOM' }
    clock.now += 29_999
    expect(read().store).toStrictEqual({ state: 'failing', lastFailure })
    clock.now += 1
    expect(read().store).toStrictEqual({ state: 'ok', lastFailure })
    expect(read().provider).toStrictEqual({ state: 'ok' })
  })

  it('blames neither provider nor store for the sessions of the host', () => {
    const { emit, read } = setUp()
    emit({ type: 'session.failed' })
    expect(read()).toMatchObject({ lastFailures: [{ at: noon, type: 'session.failed' }] })
    expect([read().provider, read().store]).toStrictEqual([{ state: 'ok' }, { state: 'ok' }])
  })

  it('remembers an unlisted status and drops its finding after an approved code', () => {
    const { emit, read, findings } = setUp()
    const rejected = { type: 'challenge.rejected', attemptsRemaining: 4, used: false, inARow: 1 } as const
    emit({ ...rejected, ...about, ...asked })
    expect(findings()).toEqual([])
    emit({ ...rejected, ...about, ...asked, status: 'ok', cause: 'paste this' })
    const lastUnexpected = { at: noon, status: 'ok', fix: 'paste this' }
    expect(read().provider).toStrictEqual({ state: 'ok', lastUnexpected })
    const [finding] = findings()
    expect(finding).toMatchObject({ code: 'status_unexpected', fix: lastUnexpected.fix })
    // By an app, or a code of the package's own.
    emit({ type: 'challenge.approved', ...about, provider: asked.provider })
    expect(findings()).toHaveLength(1)
    emit({ type: 'challenge.approved', ...about, ...asked })
    expect(read().provider).toStrictEqual({ state: 'ok', lastUnexpected })
    expect(findings()).toEqual([])
  })

  it('keeps the last ten failures, the newest first', () => {
    const { clock, emit, read } = setUp()
    for (let failures = 0; failures < 12; failures += 1) {
      emit({ type: 'session.failed' })
      clock.now += 1
    }
    expect(read().lastFailures.map(({ at }) => at - noon)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
  })
})
