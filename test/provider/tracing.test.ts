import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { recorded } from './recorder.js'

/** What undici tells every subscriber about a request. */
interface TracedRequest {
  readonly origin: string
  readonly path: string
}

/** The recipe of the README: attributes that overwrite what a tracer would take from the request. */
function startSpanHook({ origin, path }: TracedRequest): Record<string, string> {
  if (origin !== providerOrigin) return {}
  return { 'url.full': `${origin}${path.split('?')[0]}`, 'url.query': '' }
}

const { provider, client } = await recorded({ key: 'canary-key' })
const providerOrigin = new URL(provider.baseUrl).origin
const traced: TracedRequest[] = []
const trace = (message: unknown) => void traced.push((message as { request: TracedRequest }).request)

subscribe('undici:request:create', trace)
beforeEach(() => void traced.splice(0))
afterAll(() => unsubscribe('undici:request:create', trace))

describe("undici's diagnostics channels", () => {
  test('show the key of a read, whose parameters travel in the URL, and none of anything else', async () => {
    await client.balance()
    await client.verifyCode({ phone: '573001234567', appName: 'Acme', code: '482913' })
    expect(traced.map(({ path }) => path)).toEqual([
      '/v1/balance?client=1&key=canary-key',
      '/v1/2fa/verification-code',
    ])
  })

  test('lead to no key in a span when the recipe is used', async () => {
    await client.balance()
    expect(traced.map(startSpanHook)).toEqual([
      { 'url.full': `${provider.baseUrl}/balance`, 'url.query': '' },
    ])
    expect(startSpanHook({ origin: 'https://other.example', path: '/a?b=c' })).toEqual({})
  })
})
