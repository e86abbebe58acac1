import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient, providerCodes } from '../../src/index.js'
import { type SandboxOptions, startSandbox } from '../../src/sandbox/index.js'
import type { Browser } from '../express/browser.js'
import { startHost } from '../express/kit.js'

const phone = '+573001234567'

/** Each answer to a wrong code and to a second send, in each dialect. */
const dialects = [
  { dialect: 'spec', wrongCode: 200, resend: 'replace' },
  { dialect: 'spec', wrongCode: 520, resend: 'repeat' },
  { dialect: 'observed', wrongCode: 400, resend: 'replace' },
  { dialect: 'observed', wrongCode: 520, resend: 'repeat' },
] as const

async function open(options: SandboxOptions) {
  const sandbox = await startSandbox(options)
  const clock = { now: sandbox.clock.now() }
  const host = await startHost({
    options: {
      provider: providerCodes({
        client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
        approvedStatuses: sandbox.approvedStatuses,
      }),
      now: () => clock.now,
    },
    mount: (app, tf) => {
      const signup = tf.phoneVerification()
      app.use('/signup/phone', signup.routes())
      app.post('/signup', express.json(), (req, res, next) => {
        signup.redeem(req).then((proven) => res.json(proven), next)
      })
    },
  })
  onTestFinished(() => sandbox.close())
  const wait = (ms: number) => {
    sandbox.clock.advance(ms)
    clock.now = sandbox.clock.now()
  }
  const codeFor = async (number: string, since = 0) => (await sandbox.inbox.waitFor(number, { since })).code
  return { sandbox, host, wait, codeFor }
}

/** A code of the same length that is not it. */
const other = (code: string) => code.replace(/\d/, (digit) => String((Number(digit) + 1) % 10))

async function transfer(browser: Browser): Promise<string> {
  const refused = await browser.post('/transfers', { amount: 5, payee: 'ACME' })
  expect(refused.status).toBe(403)
  return refused.json.requirement
}

describe.each(dialects)(
  'a service with $dialect answers, wrong codes as $wrongCode and codes that $resend',
  (options) => {
    it('signs in, steps up and signs up', async () => {
      const { sandbox, host, wait, codeFor } = await open(options)
      const ana = await host.challenged()
      const first = await codeFor(phone)
      expect((await ana.verify(other(first))).json).toMatchObject({
        code: 'code_not_accepted',
        attemptsRemaining: 4,
      })
      wait(60_000)
      const since = sandbox.clock.now()
      expect((await ana.post('/two-factor/resend', { channel: 'call' })).status).toBe(200)
      const second = await codeFor(phone, since)
      expect((await ana.verify(second)).status).toBe(200)
      expect((await ana.get('/account')).status).toBe(200)

      const requirement = await transfer(ana)
      wait(1_000)
      const later = sandbox.clock.now()
      expect((await ana.start({ requirement })).status).toBe(201)
      expect((await ana.verify(await codeFor(phone, later))).status).toBe(200)
      expect((await ana.post('/transfers', { amount: 5, payee: 'ACME' })).json).toEqual({
        sent: 5,
        by: 'sms',
      })

      const visitor = host.browser()
      await visitor.post('/signup/phone/start', { phone: '300 765 4321', country: 'CO' })
      const code = await codeFor('+573007654321')
      expect((await visitor.post('/signup/phone/verify', { code })).status).toBe(200)
      expect((await visitor.post('/signup', {})).json.phone).toBe('+573007654321')
      expect(host.errors).toEqual([])
    })

    it('refuses a code past its life as it refuses a wrong one', async () => {
      const { host, wait, codeFor } = await open({ ...options, codeLifetimeMs: 60_000 })
      const ana = await host.challenged()
      const code = await codeFor(phone)
      wait(60_000)
      expect((await ana.verify(code)).status).toBe(410)
    })
  },
)
