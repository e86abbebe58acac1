import { text } from 'node:stream/consumers'
import { MemoryStore } from 'express-session'
import { expect, it, onTestFinished } from 'vitest'
import { createClient, memoryStore, providerCodes } from '../../src/index.js'
import { listening } from '../listening.js'
import { startHost } from './kit.js'

const code = '482913'

/** An account at the provider that accepts these keys, and processes of one app with a key each. */
async function startAccount() {
  const keys = new Set(['old key'])
  const { origin, close } = await listening((req, res) => {
    void text(req).then((body) => {
      const form = new URLSearchParams(body)
      const checked = { status: form.get('code') === code ? 'verified' : 'wrong' }
      res.statusCode = keys.has(form.get('key') ?? '') ? 200 : 401
      res.end(JSON.stringify(form.has('code') ? checked : { id: 'a1', minutes_to_expire: 5 }))
    })
  })
  onTestFinished(close)
  const [store, sessionStore] = [memoryStore(), new MemoryStore()]
  const startProcess = (key: string) => {
    const client = createClient({ baseUrl: `${origin}/v1`, client: 41, key })
    const provider = providerCodes({ client, approvedStatuses: ['verified'] })
    return startHost({ provider: () => provider, options: { store }, sessionStore, listens: true })
  }
  return { keys, startProcess }
}

it('a code that was sent with the old key of the provider is checked with the new one', async () => {
  const { keys, startProcess } = await startAccount()
  const ana = await (await startProcess('old key')).challenged()
  keys.add('new key')
  const deployed = await startProcess('new key')
  keys.delete('old key')
  expect((await ana.copy(deployed.url).verify(code)).status).toBe(200)
})

it('where the account has one key, a process with the old one responds with 503 until it is replaced', async () => {
  const { keys, startProcess } = await startAccount()
  const old = await startProcess('old key')
  const [ana, ben] = [await old.challenged(), await old.login('ben')]
  keys.clear()
  keys.add('new key')
  expect((await ben.start()).refusal).toEqual([503, 'provider_unavailable'])
  expect((await ana.verify(code)).refusal).toEqual([503, 'provider_unavailable'])
  expect(old.events.map(({ type }) => type)).toContain('provider.misconfigured')
  const deployed = await startProcess('new key')
  deployed.clock.now += 60_000
  expect((await ana.copy(deployed.url).verify(code)).status).toBe(200)
  expect((await ben.copy(deployed.url).start()).status).toBe(201)
})
