import { setImmediate as turn } from 'node:timers/promises'
import type { Express } from 'express'
import { describe, expect, it } from 'vitest'
import type { TwoFactorOptions } from '../../src/index.js'
import { seeded } from '../seeded.js'
import type { Answer, Browser } from './browser.js'
import { type Host, startHost } from './kit.js'

const trials = 80
const atOnce = 10
const random = seeded(Number(process.env.MODEL_SEED ?? 20_260_401))

const options: Partial<TwoFactorOptions> = {
  // One number per subject, so that no trial waits for another.
  phone: (_req, subject) => `+57300${subject.slice(1).padStart(7, '0')}`,
  limits: {
    sendsPerAddressPer10Min: false,
    verificationsPerAddressPer10Min: false,
    serviceSendsPerMinute: 100_000,
  },
}

const mount = (app: Express) => {
  app.post('/renew', (req, res, next) => {
    const { pendingUserId } = req.session
    req.session.regenerate((error) => {
      if (error) return next(error)
      if (pendingUserId !== undefined) req.session.pendingUserId = pendingUserId
      res.json({})
    })
  })
  app.post('/slow', async (req, res) => {
    req.session.basket = 'written late'
    for (let turns = random(20); turns > 0; turns -= 1) await turn()
    res.json({})
  })
}

interface Trial {
  readonly verified: Answer
  /** Holds the cookie that verify answered with. */
  readonly renewed: Browser
  readonly old: Browser
}

/** Verifies a right code while the same cookie is used for something else. */
async function race(host: Host, user: string, rival: (browser: Browser) => Promise<unknown>): Promise<Trial> {
  const browser = await host.challenged(user)
  const old = browser.copy()
  const renewed = browser.copy()
  const delay = random(10)
  const [verified] = await Promise.all([
    renewed.post('/two-factor/verify', { code: '482913' }),
    (async () => {
      for (let turns = delay; turns > 0; turns -= 1) await turn()
      await rival(browser)
    })(),
  ])
  return { verified, renewed, old }
}

async function inTrials(host: Host, run: (user: string) => Promise<void>): Promise<void> {
  host.stub.answerSend = () => ({ json: { id: 'a' } })
  host.stub.answerCheck = () => ({ json: { status: 'verified' } })
  for (let first = 0; first < trials; first += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, index) => run(`u${first + index}`)))
  }
}

describe(`in ${trials} races with a right code`, () => {
  it('a slow save brings no old session back and loses no grant', async () => {
    const host = await startHost({ options, mount })
    await inTrials(host, async (user) => {
      const { verified, renewed, old } = await race(host, user, (browser) => browser.post('/slow'))
      expect(verified.status).toBe(200)
      expect((await renewed.get('/account')).status).toBe(200)
      expect((await old.get('/account')).status).toBeGreaterThanOrEqual(401)
    })
  })

  it('a logout leaves nothing of the old session, and verify never lies', async () => {
    const host = await startHost({ options, mount })
    await inTrials(host, async (user) => {
      const { verified, renewed, old } = await race(host, user, (browser) => browser.post('/logout'))
      expect([200, 401, 410, 503]).toContain(verified.status)
      expect((await old.get('/account')).status).toBe(401)
      if (verified.status !== 200) expect((await renewed.get('/account')).status).toBeGreaterThanOrEqual(401)
    })
  })

  it('a renewal by the host takes no grant along and loses none', async () => {
    const host = await startHost({ options, mount })
    await inTrials(host, async (user) => {
      let rival: Browser | undefined
      const { verified, renewed, old } = await race(host, user, (browser) => {
        rival = browser
        return browser.post('/renew')
      })
      expect([200, 401, 503]).toContain(verified.status)
      if (verified.status === 200) expect((await renewed.get('/account')).status).toBe(200)
      expect((await old.get('/account')).status).toBe(401)
      expect((await rival?.get('/account'))?.status).toBeGreaterThanOrEqual(401)
    })
  })

  it('a second right code takes nothing away', async () => {
    const host = await startHost({ options, mount })
    await inTrials(host, async (user) => {
      let second: Answer | undefined
      const { verified, renewed, old } = await race(host, user, async (browser) => {
        const post = browser.copy().post('/two-factor/verify', { code: '482913' })
        ;[second] = await Promise.all([post, browser.post('/slow')])
      })
      expect([200, 401, 409, 410]).toContain(verified.status)
      // Only after the second one was let in there is nobody any more under the old id.
      if (verified.status === 401) expect(second?.status).toBe(200)
      if (verified.status === 200) expect((await renewed.get('/account')).status).toBe(200)
      expect((await old.get('/account')).status).toBeGreaterThanOrEqual(401)
    })
  })
})
