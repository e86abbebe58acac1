import { describe, expect, it } from 'vitest'
import { createKeys } from '../../../src/challenge/keys.js'
import { createSavedForms, type SavedForm } from '../../../src/challenge/proofs/saved-forms.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import { minute } from '../kit.js'
import { createService } from '../service.js'

/** On a store whose time stands still. */
function setUp() {
  const service = createService({ store: () => memoryStore({ now: () => 1 }) })
  const forms = service.savedForms
  const keep = async (kept: SavedForm, from = origin) => (await forms.save(kept, from)) ?? 'not kept'
  return { ...service, forms, keep }
}

const origin = { address: '192.0.2.1', proxied: false }

const form = (action = '/pay', body = 'amount=4711', subject = 'ana'): SavedForm => ({
  action,
  body,
  session: 'a session',
  details: { rows: [['Payee', 'Ben & Co']] },
  required: { subject, purpose: 'pay', maxAgeMs: minute },
  isSignedIn: true,
})

describe('a kept form', () => {
  it('is found only by its subject until it is removed', async () => {
    const { forms, keep } = setUp()
    const id = await keep(form())
    for (const [subject, name] of [
      ['ben', id],
      ['ana', 'another id'],
    ] as const) {
      expect(await forms.find(subject, name)).toBeUndefined()
      await forms.forget(subject, name)
    }
    expect(await forms.find('ana', id)).toEqual({ form: form() })
    await forms.forget('ana', id)
    expect(await forms.find('ana', id)).toBeUndefined()
  })

  it('leaves nothing but that its subject has sent it, for ten minutes', async () => {
    const { forms, keep, wait } = setUp()
    const id = await keep(form())
    await forms.markSent('ben', id)
    expect(await forms.find('ana', id)).toEqual({ form: form() })
    wait(minute)
    await forms.markSent('ana', id)
    wait(minute)
    await forms.markSent('ana', id)
    await forms.forget('ana', id)
    wait(9 * minute - 1)
    expect(await forms.find('ana', id)).toEqual({})
    wait(1)
    expect(await forms.find('ana', id)).toBeUndefined()
  })

  it('ends after ten minutes by our clock, even when the store still has it', async () => {
    const { forms, keep, wait } = setUp()
    const id = await keep(form())
    wait(10 * minute - 1)
    expect(await forms.find('ana', id)).toEqual({ form: form() })
    wait(1)
    await forms.markSent('ana', id)
    expect(await forms.find('ana', id)).toBeUndefined()
  })

  it('uses no room of a different account, however often one account is interrupted', async () => {
    const { forms, keep } = setUp()
    const floods = Array.from({ length: 2_000 }, () => keep(form()))
    expect((await Promise.all(floods)).filter((id) => id !== 'not kept')).toHaveLength(9)
    const bens = form('/pay', 'amount=1', 'ben')
    expect(await forms.find('ben', await keep(bens))).toEqual({ form: bens })
  })

  it.each([
    ['an IPv6 network', 100, (index: number) => `2001:db8::${index.toString(16)}`, false],
    ['a proxy that Express was not told about', 1_000, (_index: number) => '10.0.0.1', true],
  ])('has its share by %s: %i', async (_name, share, addressOf, proxied) => {
    const { keep } = setUp()
    const flood = async (index: number) =>
      keep(form('/', '', `account-${index}`), { address: addressOf(index), proxied })
    const kept = await Promise.all(Array.from({ length: share + 50 }, (_, index) => flood(index)))
    expect(kept.filter((id) => id !== 'not kept')).toHaveLength(share)
  })

  it('of an attacker with the password uses no room of the signed-in user', async () => {
    const { keep } = setUp()
    const pending = { ...form(), isSignedIn: false }
    const floods = await Promise.all(Array.from({ length: 40 }, () => keep(pending)))
    expect(floods.filter((id) => id !== 'not kept')).toHaveLength(9)
    expect(await keep(form())).not.toBe('not kept')
  })

  it('finds room beside accounts of one address that are refused, which use up nothing of it', async () => {
    const { keep } = setUp()
    const from = { address: '203.0.113.9', proxied: false }
    const floods = Array.from({ length: 500 }, () => keep(form('/', '', 'mallory'), from))
    await Promise.all(floods)
    expect(await keep(form('/', '', 'ben'), from)).not.toBe('not kept')
  })

  it('is sealed at rest, and opens under no other id and in no other namespace', async () => {
    const { forms, keep, ...parts } = setUp()
    const { store, keys, secrets } = parts
    const id = await keep(form())
    const entry = await store.read(keys.forms(id))
    // Each with a sign that no text at rest has by chance.
    expect(JSON.stringify(entry)).not.toMatch(/amount=4711|\/pay|a session|Ben & Co/)
    const other = 'x'.repeat(id.length)
    await store.swap(keys.forms(other), undefined, entry?.value, minute)
    expect(await forms.find('ana', other)).toBeUndefined()
    const shop = createKeys('shop', secrets)
    await store.swap(shop.forms(id), undefined, entry?.value, minute)
    expect(await createSavedForms({ ...parts, keys: shop }).find('ana', id)).toBeUndefined()
  })
})
