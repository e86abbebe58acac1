import express from 'express'
import { describe, expect, it } from 'vitest'
import { createClient, ownCodes } from '../../src/index.js'
import { Browser } from './browser.js'
import { startHost } from './kit.js'

/** A bank that writes its texts itself, and its customer with a browser in one language. */
async function startBank(language = 'en') {
  const secret = 'a secret of thirty-two bytes or more'
  const host = await startHost({
    provider: ({ baseUrl }) =>
      ownCodes({ client: createClient({ baseUrl, client: 41, key: 'k-canary' }), secret }),
    mount: (app, tf) => {
      const guard = tf.requireTwoFactor({
        purpose: 'pay',
        once: true,
        bind: (req) => ({ amount: req.body.amount, payee: req.body.payee }),
        describe: (req) => ({
          title: 'Transfer',
          rows: [
            ['Amount', `${req.body.amount} EUR`],
            ['To', req.body.payee],
          ],
        }),
      })
      app.post('/pay', express.json(), guard, (req, res) => void res.json({ sent: req.body.amount }))
    },
  })
  const ana = new Browser(host.url, { 'accept-language': language })
  await ana.post('/login', { user: 'ana' })
  await host.confirm(ana)
  const lastForm = () => host.stub.sends.at(-1)?.form ?? {}
  /** The code for one payment, by the requirement of its refusal. */
  async function start(payment: object, channel?: string) {
    const { requirement, details } = (await ana.post('/pay', payment)).json
    const started = await ana.start({ requirement, channel })
    return { requirement, details, started }
  }
  return { host, ana, start, lastForm }
}

const payment = { amount: '100', payee: 'Ben' }

describe('a text with what its code confirms', () => {
  it.each([
    ['en', 'is your Acme code.', 'It expires in'],
    ['es-CO', 'es tu código de Acme.', 'Vence en'],
    ['pt-BR', 'é seu código Acme.', 'Expira em'],
  ])('has amount and payee in the language of the person: %s', async (language, first, last) => {
    const { host, ana, start, lastForm } = await startBank(language)
    const { started, details } = await start(payment)
    const { rightCode } = host.stub
    expect(lastForm().sms).toMatch(
      new RegExp(`^${rightCode} ${first} Transfer: Amount 100 EUR, To Ben\\. ${last} \\d+ `),
    )
    expect(started.json.challenge.details).toEqual(details)
    await ana.verify(rightCode)
    // The amount was changed after the text had been read (RTS, article 5: dynamic linking).
    expect((await ana.post('/pay', { ...payment, amount: '900' })).status).toBe(403)
    expect((await ana.post('/pay', { ...payment, payee: 'Eve' })).status).toBe(403)
    expect((await ana.post('/pay', payment)).json).toEqual({ sent: '100' })
    expect((await ana.post('/pay', payment)).status).toBe(403)
  })

  it('has it again in the next one, whichever way the request says what it is for', async () => {
    const { host, ana, start, lastForm } = await startBank()
    const { requirement, details } = await start(payment)
    host.clock.now += 60_000
    const resent = await ana.post('/two-factor/resend', { requirement })
    expect(resent.json.challenge.details).toEqual(details)
    expect(lastForm().sms).toContain('Transfer: Amount 100 EUR, To Ben.')
    host.clock.now += 120_000
    const again = await ana.post('/two-factor/resend', { challenge: resent.json.challenge.id })
    expect(again.json.challenge.details).toEqual(details)
    expect(lastForm().sms).toContain('Transfer: Amount 100 EUR, To Ben.')
    await ana.verify(host.stub.rightCode)
    expect((await ana.post('/pay', { ...payment, payee: 'Eve' })).status).toBe(403)
    expect((await ana.post('/pay', payment)).status).toBe(200)
  })
})
