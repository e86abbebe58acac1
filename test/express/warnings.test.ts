import express from 'express'
import session from 'express-session'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { twoFactor } from '../../src/index.js'
import { baseOptions, startHost } from './kit.js'

interface Said extends Error {
  readonly code: string
  readonly detail: string
}

let said: Said[] = []
const listen = (warning: Error) => {
  if (warning.name === 'TwoFactorWarning') said.push(warning as Said)
}
const codes = async () => {
  await new Promise((resolve) => setImmediate(resolve))
  return said.map(({ code }) => code)
}

beforeEach(() => {
  said = []
  process.on('warning', listen)
})
afterEach(() => {
  process.off('warning', listen)
  vi.unstubAllEnvs()
})

const forwarded = { 'x-forwarded-for': '203.0.113.9' }

describe('a warning', () => {
  it('is not given to a host that is set up well', async () => {
    const host = await startHost()
    await host.signIn()
    expect(await codes()).toEqual([])
  })

  it('names a proxy that Express was not told about, once, with a place in the documents', async () => {
    const host = await startHost()
    const ana = await host.login()
    await ana.post('/two-factor/start', {}, forwarded)
    await ana.post('/two-factor/start', {}, forwarded)
    expect(await codes()).toEqual(['TWO_FACTOR_TRUST_PROXY_MISSING'])
    expect(said[0]?.detail).toBe('See docs/operations.md#two_factor_trust_proxy_missing')
    expect(said[0]?.message).toMatch(/Set `trust proxy` to your proxies\.$/)
  })

  it('lists what a further language lacks', async () => {
    await startHost({ options: { messages: { fr: { 'code.title': 'Consultez votre téléphone' } } } })
    expect(await codes()).toEqual(['TWO_FACTOR_MESSAGES_INCOMPLETE'])
    expect(said[0]?.message).toMatch(
      /\(messages\.fr lacks error, code\.sent, .*problem\.sending_paused\.text\)$/,
    )
    expect(said[0]?.message).not.toContain('code.title')
  })

  it('names a `trust proxy` that trusts everybody', async () => {
    const host = await startHost()
    host.app.set('trust proxy', true)
    await host.login()
    await host.browser().post('/two-factor/start', {})
    expect(await codes()).toEqual(['TWO_FACTOR_TRUST_PROXY_ALL'])
  })

  it('names a memory store in production and among several workers', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    vi.stubEnv('NODE_APP_INSTANCE', '1')
    const host = await startHost()
    expect(await codes()).toEqual(['TWO_FACTOR_SEVERAL_WORKERS', 'TWO_FACTOR_MEMORY_STORE'])
    await host.tf.close()
  })

  it('names a session cookie that is not Secure or has no SameSite', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    const host = await startHost({
      addSession: (app) =>
        app.use(
          session({ secret: 's', resave: false, saveUninitialized: false, cookie: { sameSite: 'none' } }),
        ),
    })
    await host.challenged()
    expect(await codes()).toEqual([
      'TWO_FACTOR_MEMORY_STORE',
      'TWO_FACTOR_COOKIE_NOT_SECURE',
      'TWO_FACTOR_COOKIE_SAME_SITE',
    ])
  })

  it('names routes that are mounted elsewhere than `path` says', async () => {
    const host = await startHost({ mount: (app, tf) => app.use('/2fa', tf.routes()) })
    const ana = await host.login()
    await ana.get('/2fa')
    expect(await codes()).toEqual(['TWO_FACTOR_PATH_DIFFERS'])
  })

  it('names a factory that is called for every request', async () => {
    const host = await startHost({
      mount: (app) => {
        app.get('/made', async (_req, res) => {
          const made = twoFactor(baseOptions(host.stub, host.clock))
          await made.close()
          res.json({})
        })
      },
    })
    await host.browser().get('/made')
    expect(await codes()).toEqual(['TWO_FACTOR_MADE_PER_REQUEST'])
  })

  it('is not given for one that is made inside a sub-app at start-up', async () => {
    const sub = express()
    const host = await startHost()
    sub.use(twoFactor(baseOptions(host.stub, host.clock)).routes())
    expect(await codes()).toEqual([])
  })
})
