import { expect, it } from 'vitest'
import { openDomain } from '../../src/challenge/domain.js'
import type { EventBody } from '../../src/events.js'
import { createBackground } from '../../src/lib/promises.js'
import { memoryStore } from '../../src/store/memory-store.js'
import { day, limits, signupGuard } from './kit.js'
import { ana, countingCodes, rightCode } from './service.js'

function createParts() {
  const clock = { now: 1_800_000_000_000 }
  const store = memoryStore({ now: () => clock.now })
  const events: EventBody[] = []
  const usual = {
    maxAgeMs: 300_000,
    once: false,
    channels: ['sms'],
    trustedDevice: false,
    browserStartable: true,
  } as const
  const parts: Parameters<typeof openDomain>[0] = {
    store,
    secret: ['a secret of at least thirty-two bytes'],
    namespace: 'shop',
    purposes: [{ ...usual, name: 'login' }],
    defaultPurpose: (name) => ({ ...usual, name }),
    limits,
    provider: countingCodes().codes,
    countries: ['CO'],
    watch: { signups: signupGuard },
    background: createBackground(),
    appNameOf: (_, name) => name,
    knownMaxAgeMs: 0,
    trustedMaxAgeMs: day,
    haveApps: false,
    now: () => clock.now,
    emit: (event) => void events.push(event),
  }
  return { clock, store, events, parts }
}

it('the parts of the domain share one store, one clock, one set of limits and one listener', async () => {
  const { clock, store, events, parts } = createParts()
  const domain = openDomain({
    ...parts,
    store: { ...store, increment: () => new Promise(() => {}) },
    limits: { ...limits, storeTimeoutMs: 20 },
  })
  const { challenges, numbers, grants, enrolments, devices, keys } = domain

  // A store that hangs is given up after storeTimeoutMs.
  await expect(challenges.start({ ...ana, purpose: 'login' })).rejects.toMatchObject({
    code: 'store_unavailable',
  })
  expect(events.map(({ type }) => type)).toContain('store.failed')
  expect(await numbers.state(ana.phone)).toMatchObject({ locked: false, disabled: false })
  expect(await challenges.verify({ ...ana, code: rightCode })).toMatchObject({ code: 'challenge_gone' })

  const record = grants.open({ subject: 'ana', session: 's1' })
  await record.write({ purpose: 'login', method: 'sms' }, { before: 's1', after: 's1', provisional: false })
  expect(store.read(keys.grants('ana'))).toBeDefined()
  expect(keys.grants('ana')).toMatch(/^tf2:shop:grants:/)
  expect((await devices.open('ana', undefined).succeed(true))?.expiresAt).toBe(clock.now + day)
  expect(await devices.list('ana')).toHaveLength(1)
  expect(await enrolments.find('s1')).toBeUndefined()
})

it('recovery codes are taken where the host keeps some, and nowhere else', async () => {
  const { events, parts } = createParts()
  expect(openDomain(parts).recover).toBeUndefined()
  const { recover, grants } = openDomain({
    ...parts,
    recoveryCodes: { consume: (subject) => subject === 'ana' },
  })
  const useOf = (subject: string) => {
    return { subject, code: '0'.repeat(24), record: grants.open({ subject, session: 's1' }) }
  }
  expect(await recover?.(useOf('bob'))).toMatchObject({ outcome: 'rejected' })
  expect(await recover?.(useOf('ana'))).toMatchObject({ outcome: 'accepted' })
  expect(events).toContainEqual({ type: 'recovery.failed', subject: 'bob' })
})
