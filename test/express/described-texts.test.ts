import express from 'express'
import { describe, expect, it } from 'vitest'
import { type CodeMessage, createClient, type OwnCodesOptions, ownCodes } from '../../src/index.js'
import { Browser } from './browser.js'
import { startHost } from './kit.js'

/** A bank that writes its texts itself, and its customer with a browser in one language. */
async function startBank(codes: Partial<OwnCodesOptions> = {}, language = 'en') {
  const secret = 'a secret of thirty-two bytes or more'
  const host = await startHost({
    provider: ({ baseUrl }) =>
      ownCodes({ client: createClient({ baseUrl, client: 41, key: 'k-canary' }), secret, ...codes }),
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
  await ana.post('/two-factor/start', {})
  await ana.post('/two-factor/verify', { code: host.stub.rightCode })
  const lastForm = () => host.stub.sends.at(-1)?.form ?? {}
  /** The code for one payment, by the requirement of its refusal. */
  async function start(payment: object, channel?: string) {
    const { requirement, details } = (await ana.post('/pay', payment)).json
    const started = await ana.post('/two-factor/start', { requirement, channel })
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
    const { host, ana, start, lastForm } = await startBank({}, language)
    const { started, details } = await start(payment)
    const { rightCode } = host.stub
    expect(lastForm().sms).toMatch(
      new RegExp(`^${rightCode} ${first} Transfer: Amount 100 EUR, To Ben\\. ${last} \\d+ `),
    )
    expect(started.json.challenge.details).toEqual(details)
    await ana.post('/two-factor/verify', { code: rightCode })
    // The amount was changed after the text had been read (RTS, article 5: dynamic linking).
    expect((await ana.post('/pay', { ...payment, amount: '900' })).status).toBe(403)
    expect((await ana.post('/pay', { ...payment, payee: 'Eve' })).status).toBe(403)
    expect((await ana.post('/pay', payment)).json).toEqual({ sent: '100' })
    expect((await ana.post('/pay', payment)).status).toBe(403)
  })

  it.each([
    'Ben\u2029\u0085@evil.example #000000',
    'Ben\u0000\u001b[2J\t@evil.example #000000',
    '\u202e000000# elpmaxe.live@',
    `Ben${' very'.repeat(39)}`,
  ])('keeps what the visitor typed within its line: %j', async (payee) => {
    const { host, start, lastForm } = await startBank({ origin: 'bank.example' })
    const { started } = await start({ amount: '100', payee })
    expect(started.status).toBe(201)
    const lines = (lastForm().sms ?? '').split(/[\n\r\u0085\u2028\u2029]/)
    // The one line that phones fill in by themselves, for our origin alone.
    expect(lines.filter((line) => line.startsWith('@'))).toEqual([`@bank.example #${host.stub.rightCode}`])
    expect(lines).toHaveLength(2)
    expect(lines[0]).not.toMatch(/[\p{Cc}\p{Cf}]/u)
    expect(lines[0]?.length).toBeLessThan(220)
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
    await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    expect((await ana.post('/pay', { ...payment, payee: 'Eve' })).status).toBe(403)
    expect((await ana.post('/pay', payment)).status).toBe(200)
  })

  it('never has those of another payment: a requirement is no disguise for another', async () => {
    const { host, ana, start, lastForm } = await startBank()
    await start({ amount: '900', payee: 'Eve' })
    host.clock.now += 60_000
    const { requirement } = (await ana.post('/pay', payment)).json
    expect((await ana.post('/two-factor/resend', { requirement })).status).toBe(409)
    expect(lastForm().sms).toContain('To Eve')
    expect(host.stub.sends).toHaveLength(2)
  })
})

it('a text of the host that fails in one language stops nobody who has another', async () => {
  const text = ({ code, locale }: CodeMessage) => {
    if (locale === 'es') throw new Error('no template')
    return `${code} is your code.`
  }
  const { host, ana } = await startBank({ text })
  const ben = new Browser(host.url, { 'accept-language': 'es' })
  await ben.post('/login', { user: 'ben' })
  for (let start = 0; start < 10; start += 1) {
    expect((await ben.post('/two-factor/start', {})).json.code).toBe('provider_unavailable')
  }
  expect((await ana.post('/two-factor/start', {})).status).toBe(201)
  expect(host.tf.health().lastFailures.map(({ reason }) => reason)).toContain('text')
})
