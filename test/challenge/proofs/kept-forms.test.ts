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
  const keep = async (session: string, kept: KeptForm) => (await forms.keep(session, kept)) ?? 'not kept'
  return { clock, keys, store, forms, keep }
}

const form = (action = '/pay', body = 'amount=4711'): KeptForm => ({
  action,
  body,
  details: { rows: [['Payee', 'Ben']] },
  required: { subject: 'ana', purpose: 'pay', maxAgeMs: minute },
})

describe('a kept form', () => {
  it('is handed out once, in its session, however many ask', async () => {
    const { forms, keep } = setUp()
    const id = await keep('s1', form())
    expect(await forms.take('s2', id)).toBeUndefined()
    expect(await forms.take('s1', 'another id')).toBeUndefined()
    const taken = await Promise.all(Array.from({ length: 50 }, () => forms.take('s1', id)))
    expect(taken.filter((one) => one !== undefined)).toEqual([form()])
  })

  it('ends after ten minutes by our clock, even when the store still has it', async () => {
    const { forms, keep, clock } = setUp()
    const ids = [await keep('s1', form('/a')), await keep('s1', form('/b'))]
    clock.now += 10 * minute - 1
    expect(await forms.take('s1', ids[0] ?? '')).toEqual(form('/a'))
    clock.now += 1
    expect(await forms.take('s1', ids[1] ?? '')).toBeUndefined()
  })

  it('is one for a path: the earlier one is forgotten', async () => {
    const { forms, keep } = setUp()
    const earlier = await keep('s1', form('/pay', 'amount=1'))
    const later = await keep('s1', form('/pay', 'amount=2'))
    expect(await forms.take('s1', earlier)).toBeUndefined()
    expect(await forms.take('s1', later)).toEqual(form('/pay', 'amount=2'))
  })

  it('is one of three in a session at most, whatever a session sends', async () => {
    const { forms, keep, store, keys } = setUp()
    const ids: string[] = []
    for (let tab = 0; tab < 30; tab += 1) {
      ids.push(await keep('s1', form(`/pay?tab=${tab}`, 'x'.repeat(8_192))))
    }
    expect(JSON.stringify(store.read(keys.forms('s1'))?.value).length).toBeLessThan(50_000)
    const taken = await Promise.all(ids.map((id) => forms.take('s1', id)))
    expect(taken.map((one) => one?.action).filter(Boolean)).toEqual([27, 28, 29].map((n) => `/pay?tab=${n}`))
  })

  it('takes the room of nobody else, however often one account signs in and is interrupted', async () => {
    const { forms, keep } = setUp()
    const floods = Array.from({ length: 2_000 }, (_, session) => keep(`flood-${session}`, form()))
    expect((await Promise.all(floods)).filter((id) => id !== 'not kept')).toHaveLength(30)
    const bens = { ...form(), required: { subject: 'ben', purpose: 'pay', maxAgeMs: minute } }
    expect(await forms.take('s1', await keep('s1', bens))).toEqual(bens)
  })

  it('is sealed at rest, and opens for no other session wherever it is copied to', async () => {
    const { forms, keep, store, keys } = setUp()
    const id = await keep('s1', form())
    const entry = store.read(keys.forms('s1'))
    expect(JSON.stringify(entry)).not.toMatch(/4711|pay|ana|Ben/)
    store.swap(keys.forms('s2'), undefined, entry?.value, minute)
    expect(await forms.take('s2', id)).toBeUndefined()
    const elsewhere = createKeptForms({
      store,
      keys: createKeys('shop', secrets),
      secrets,
      now: () => 1_000_000,
    })
    store.swap(createKeys('shop', secrets).forms('s1'), undefined, entry?.value, minute)
    expect(await elsewhere.take('s1', id)).toBeUndefined()
  })

  it('moves along when the session is renewed, and leaves nothing under the old id', async () => {
    const { forms, keep } = setUp()
    const id = await keep('s1', form())
    const waiting = await keep('s2', form('/other'))
    await forms.move('s1', 's2')
    await forms.move('s3', 's2')
    expect(await forms.take('s1', id)).toBeUndefined()
    expect(await forms.take('s2', id)).toEqual(form())
    expect(await forms.take('s2', waiting)).toEqual(form('/other'))
  })

  it('takes the place of one for the same path when several move along', async () => {
    const { forms, keep } = setUp()
    const ids = [await keep('s1', form('/a')), await keep('s1', form('/b'))]
    const earlier = await keep('s2', form('/a', 'amount=1'))
    await forms.move('s1', 's2')
    expect(await forms.take('s2', earlier)).toBeUndefined()
    expect(await forms.take('s2', ids[0] ?? '')).toEqual(form('/a'))
    expect(await forms.take('s2', ids[1] ?? '')).toEqual(form('/b'))
  })

  it('costs the renewal of a session nothing where none waits', async () => {
    const { forms, store } = setUp()
    const swaps = vi.spyOn(store, 'swap')
    await forms.move('s1', 's2')
    expect(swaps).not.toHaveBeenCalled()
  })

  it('keeps its end when it moves', async () => {
    const { forms, keep, clock } = setUp()
    const id = await keep('s1', form())
    clock.now += 9 * minute
    await forms.move('s1', 's2')
    clock.now += minute
    expect(await forms.take('s2', id)).toBeUndefined()
  })
})
