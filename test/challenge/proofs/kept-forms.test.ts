import { describe, expect, it, vi } from 'vitest'
import { createKeys } from '../../../src/challenge/keys.js'
import { createKeptForms, type KeptForm } from '../../../src/challenge/proofs/kept-forms.js'
import { createSecrets } from '../../../src/challenge/secrets.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import { minute, strictKeys } from '../kit.js'

const secrets = createSecrets(['a secret of thirty-two bytes or more'])

function setUp(store = memoryStore({ now: () => 1 })) {
  const clock = { now: 1_000_000 }
  const keys = strictKeys(createKeys('', secrets))
  const forms = createKeptForms({ store, keys, secrets, now: () => clock.now })
  const keep = async (session: string, kept: KeptForm, from = origin) =>
    (await forms.keep(session, kept, from)) ?? 'not kept'
  const found = async (session: string, id: string) => (await forms.find(session, id))?.form
  return { clock, keys, store, forms, keep, found }
}

const origin = { address: '192.0.2.1', proxied: false }

const form = (action = '/pay', body = 'amount=4711', subject = 'ana'): KeptForm => ({
  action,
  body,
  details: { rows: [['Payee', 'Ben']] },
  required: { subject, purpose: 'pay', maxAgeMs: minute },
})

describe('a kept form', () => {
  it('is found in its session until it is taken, by one of all who ask', async () => {
    const { forms, keep } = setUp()
    const id = await keep('s1', form())
    for (const [session, name] of [
      ['s2', id],
      ['s1', 'another id'],
    ] as const) {
      expect(await forms.find(session, name)).toBeUndefined()
      expect(await forms.take(session, name)).toBe(false)
    }
    expect(await forms.find('s1', id)).toEqual({ subject: 'ana', form: form() })
    const taken = await Promise.all(Array.from({ length: 50 }, () => forms.take('s1', id)))
    expect(taken.filter(Boolean)).toHaveLength(1)
    expect(await forms.find('s1', id)).toBeUndefined()
  })

  it('leaves nothing but its subject once that has sent it, for ten minutes, wherever it moves', async () => {
    const { forms, keep, clock } = setUp()
    const id = await keep('s1', form())
    await forms.markSent('s1', 'ben', id)
    await forms.markSent('s2', 'ana', id)
    expect(await forms.find('s1', id)).toEqual({ subject: 'ana', form: form() })
    clock.now += minute
    await forms.markSent('s1', 'ana', id)
    expect(await forms.take('s1', id)).toBe(false)
    // Neither the same form, interrupted anew, nor others that wait take its place.
    for (const action of ['/pay', '/a', '/b', '/c']) await keep('s1', form(action))
    await forms.move('s1', 's2')
    clock.now += 10 * minute - 1
    expect(await forms.find('s2', id)).toEqual({ subject: 'ana' })
    clock.now += 1
    expect(await forms.find('s2', id)).toBeUndefined()
  })

  it('is remembered as sent with two more at most', async () => {
    const { forms, keep } = setUp()
    const ids: string[] = []
    for (let count = 0; count < 4; count += 1) {
      const id = await keep('s1', form())
      ids.push(id)
      await forms.markSent('s1', 'ana', id)
    }
    await keep('s1', form())
    const found = await Promise.all(ids.map((id) => forms.find('s1', id)))
    expect(found.map((one) => one !== undefined)).toEqual([false, true, true, true])
  })

  it('ends after ten minutes by our clock, even when the store still has it', async () => {
    const { keep, clock, found } = setUp()
    const ids = [await keep('s1', form('/a')), await keep('s1', form('/b'))]
    clock.now += 10 * minute - 1
    expect(await found('s1', ids[0] ?? '')).toEqual(form('/a'))
    clock.now += 1
    expect(await found('s1', ids[1] ?? '')).toBeUndefined()
  })

  it('is one for a path: the earlier one is forgotten', async () => {
    const { keep, found } = setUp()
    const earlier = await keep('s1', form('/pay', 'amount=1'))
    const later = await keep('s1', form('/pay', 'amount=2'))
    expect(await found('s1', earlier)).toBeUndefined()
    expect(await found('s1', later)).toEqual(form('/pay', 'amount=2'))
  })

  it('is one of three in a session at most, whatever a session sends', async () => {
    const { keep, store, keys, found } = setUp()
    const ids: string[] = []
    for (let tab = 0; tab < 30; tab += 1) {
      ids.push(await keep('s1', form(`/pay?tab=${tab}`, 'x'.repeat(8_192))))
    }
    expect(JSON.stringify(store.read(keys.forms('s1'))?.value).length).toBeLessThan(50_000)
    const kept = await Promise.all(ids.map((id) => found('s1', id)))
    expect(kept.map((one) => one?.action).filter(Boolean)).toEqual([27, 28, 29].map((n) => `/pay?tab=${n}`))
  })

  it('takes the room of nobody else, however often one account signs in and is interrupted', async () => {
    const { keep, found } = setUp()
    const floods = Array.from({ length: 2_000 }, (_, session) => keep(`flood-${session}`, form()))
    expect((await Promise.all(floods)).filter((id) => id !== 'not kept')).toHaveLength(3)
    // A session that has one may replace it.
    expect(await keep('flood-0', form('/other'))).not.toBe('not kept')
    const bens = form('/pay', 'amount=1', 'ben')
    expect(await found('s1', await keep('s1', bens))).toEqual(bens)
  })

  it('counts in the share of its account for as long as its session has one, and once, whatever is taken', async () => {
    const time = { now: 1 }
    const { forms, keep, found, clock } = setUp(memoryStore({ now: () => time.now }))
    for (let tries = 0; tries < 5; tries += 1) {
      const id = await keep('s1', form())
      expect(await forms.take('s1', id)).toBe(true)
    }
    const last = new Map<string, string>()
    for (let minutes = 0; minutes < 120; minutes += 5) {
      for (const session of last.keys()) last.set(session, await keep(session, form()))
      for (let index = 0; index < 5; index += 1) {
        const session = `flood-${minutes}-${index}`
        last.set(session, await keep(session, form()))
      }
      clock.now += 5 * minute
      time.now += 5 * minute
    }
    const waiting = await Promise.all([...last].map(async ([session, id]) => found(session, id)))
    expect(waiting.filter(Boolean).length).toBeLessThanOrEqual(6)
  })

  it.each([
    ['an IPv4 address', 100, (_index: number) => '203.0.113.9', false],
    ['an IPv6 network', 100, (index: number) => `2001:db8::${index.toString(16)}`, false],
    ['a proxy that Express was not told about', 1_000, (_index: number) => '10.0.0.1', true],
  ])('has its share by %s: %i', async (_name, share, addressOf, proxied) => {
    const { keep } = setUp()
    const flood = async (index: number) =>
      keep(`flood-${index}`, form('/', '', `account-${index}`), { address: addressOf(index), proxied })
    const kept = await Promise.all(Array.from({ length: share + 50 }, (_, index) => flood(index)))
    expect(kept.filter((id) => id !== 'not kept')).toHaveLength(share)
  })

  it('finds room beside 36 accounts of one address that interrupt as many forms as they like', async () => {
    const { keep } = setUp()
    const floods = Array.from({ length: 36 * 30 }, (_, index) =>
      keep(`flood-${index}`, form('/', '', `account-${index % 36}`), {
        address: '203.0.113.9',
        proxied: false,
      }),
    )
    expect((await Promise.all(floods)).filter((id) => id !== 'not kept').length).toBeLessThanOrEqual(100)
    expect(await keep('s1', form())).not.toBe('not kept')
  })

  it('is sealed at rest, and opens for no other session wherever it is copied to', async () => {
    const { keep, store, keys, found } = setUp()
    const id = await keep('s1', form())
    const entry = store.read(keys.forms('s1'))
    expect(JSON.stringify(entry)).not.toMatch(/4711|pay|ana|Ben/)
    store.swap(keys.forms('s2'), undefined, entry?.value, minute)
    expect(await found('s2', id)).toBeUndefined()
    const elsewhere = createKeptForms({
      store,
      keys: createKeys('shop', secrets),
      secrets,
      now: () => 1_000_000,
    })
    store.swap(createKeys('shop', secrets).forms('s1'), undefined, entry?.value, minute)
    expect(await elsewhere.find('s1', id)).toBeUndefined()
  })

  it('moves along when the session is renewed, and leaves nothing under the old id', async () => {
    const { forms, keep, found } = setUp()
    const id = await keep('s1', form())
    const waiting = await keep('s2', form('/other'))
    await forms.move('s1', 's2')
    await forms.move('s3', 's2')
    expect(await found('s1', id)).toBeUndefined()
    expect(await found('s2', id)).toEqual(form())
    expect(await found('s2', waiting)).toEqual(form('/other'))
  })

  it('takes the place of one for the same path when several move along', async () => {
    const { forms, keep, found } = setUp()
    const ids = [await keep('s1', form('/a')), await keep('s1', form('/b'))]
    const earlier = await keep('s2', form('/a', 'amount=1'))
    await forms.move('s1', 's2')
    expect(await found('s2', earlier)).toBeUndefined()
    expect(await found('s2', ids[0] ?? '')).toEqual(form('/a'))
    expect(await found('s2', ids[1] ?? '')).toEqual(form('/b'))
  })

  it('costs the renewal of a session nothing where none waits', async () => {
    const { forms, store } = setUp()
    const swaps = vi.spyOn(store, 'swap')
    await forms.move('s1', 's2')
    expect(swaps).not.toHaveBeenCalled()
  })

  it('keeps its end when it moves', async () => {
    const { forms, keep, clock, found } = setUp()
    const id = await keep('s1', form())
    clock.now += 9 * minute
    await forms.move('s1', 's2')
    clock.now += minute
    expect(await found('s2', id)).toBeUndefined()
  })
})
