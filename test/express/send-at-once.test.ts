import { describe, expect, it } from 'vitest'
import type { GuardOptions, TwoFactorOptions } from '../../src/index.js'
import { type Answer, type Browser, hiddenFields } from './browser.js'
import { transfersAt } from './described-transfers.js'
import { startSignedIn } from './kit.js'

const asks = '<h1>Confirm that it&#39;s you</h1>'
const sent = '<h1>Check your phone</h1>'

function startPayHost(guard: GuardOptions = {}, options: Partial<TwoFactorOptions> = {}) {
  return startSignedIn({
    options,
    mount: transfersAt('/pay', {
      resume: true,
      bind: (req) => ({ amount: req.body.amount ?? null }),
      describe: ({ body }) => ({ rows: [['Amount', String(body.amount)]], action: 'Pay <now>' }),
      ...guard,
    }),
  })
}

/** Posts the form with these headers alone. */
const post = (browser: Browser, headers: Record<string, string>, amount = '5', method = 'POST') =>
  browser.send('/pay', {
    method,
    body: `amount=${amount}`,
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })

const own = { 'sec-fetch-site': 'same-origin' }

describe('a form of this site that a guard refuses', () => {
  it('has its code sent, and requires only the code and a button that names the action', async () => {
    const { host, ana } = await startPayHost()
    const page = await post(ana, own)
    expect(page.status).toBe(403)
    expect(page.text).toContain(sent)
    expect(page.text).toContain('<dt><bdi>Amount</bdi></dt><dd><bdi>5</bdi></dd>')
    expect(host.stub.sends).toHaveLength(2)
    const fields = { ...hiddenFields(page.text), code: host.stub.rightCode }
    const right = await ana.submit('/two-factor/verify', fields)
    const last = await ana.open(right.headers.get('location') ?? '')
    expect(last.text).toContain('><bdi>Pay &lt;now&gt;</bdi></button>')
    const paid = await ana.submit('/pay', hiddenFields(last.text))
    expect(paid.json.paid).toEqual({ amount: '5' })
    expect(host.stub.sends).toHaveLength(2)
  })

  it('shows only known facts if the response to the send is lost', async () => {
    const { host, ana } = await startPayHost({}, { limits: { codeLifetimeMs: 30 * 60_000 } })
    host.stub.answerSend = () => 'reset'
    const page = await post(ana, own)
    expect(page.text).toContain('A code is on its way')
    const [, address = ''] = /data-address="([^"]+)"/.exec(page.text) ?? []
    const reload = () => ana.open(address.replaceAll('&amp;', '&'))
    expect((await reload()).text).toContain('A code is on its way')
    // What is asked for outlives the code, as after any start.
    host.clock.now += 40 * 60_000 - 1
    expect((await reload()).status).toBe(200)
  })

  it('sends one code for many parallel requests, for one amount or for many', async () => {
    for (const amountOf of [() => '5', String]) {
      const { host, ana } = await startPayHost()
      const pages = await Promise.all(
        Array.from({ length: 60 }, (_, index) => post(ana.copy(), own, amountOf(index))),
      )
      expect(pages.filter(({ status }) => status === 200)).toEqual([])
      expect(host.stub.sends).toHaveLength(2)
    }
  })
})

describe('nothing is sent unasked', () => {
  const expectStartPage = ({ status, text }: Answer) => {
    expect(status).toBe(403)
    expect(text).toContain(asks)
  }

  it.each<[string, (url: string) => Record<string, string>, isOwn: boolean]>([
    ['same-origin', () => own, true],
    ['its own Origin alone', (url) => ({ origin: url }), true],
    ['cross-site, with our Origin', (url) => ({ 'sec-fetch-site': 'cross-site', origin: url }), false],
    ['none', () => ({ 'sec-fetch-site': 'none' }), false],
    ['no header that says it', () => ({}), false],
    ['Origin null', () => ({ origin: 'null' }), false],
    ['Origin of another port', (url) => ({ origin: `${url}1` }), false],
    ['a Referer alone', (url) => ({ referer: `${url}/form` }), false],
  ])('unless the form is certainly our own: %s', async (_name, headers, isOwn) => {
    const { host, ana } = await startPayHost()
    const page = await post(ana, headers(host.url))
    if (!isOwn) expectStartPage(page)
    expect(host.stub.sends).toHaveLength(isOwn ? 2 : 1)
  })

  it('to a partner that may post to the routes', async () => {
    const origin = 'https://partner.example'
    const { host, ana } = await startPayHost({}, { allowedOrigins: [origin] })
    expectStartPage(await post(ana, { origin, 'sec-fetch-site': 'cross-site' }))
    expect(host.stub.sends).toHaveLength(1)
  })

  it.each<[string, Record<string, string>, string?]>([
    ['an upload', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['a script that asks for JSON', { accept: 'application/json' }],
    ['another method', {}, 'PUT'],
  ])('to %s', async (_name, headers, method = 'POST') => {
    const { host, ana } = await startPayHost({ bind: () => ({}), describe: () => ({ rows: [['a', 'b']] }) })
    await post(ana, { ...own, ...headers }, '5', method)
    expect(host.stub.sends).toHaveLength(1)
  })

  it.each<[string, GuardOptions, Partial<TwoFactorOptions>]>([
    ['where the guard says so', { sendAtOnce: false }, {}],
    ['where beforeSend says no', {}, { beforeSend: (_req, { purpose }) => purpose !== 'pay' }],
    ['where no code that is sent will do', { methods: ['passkey', 'app'] }, {}],
    ['where no more may be sent', {}, { limits: { serviceSendsPerMinute: 1 } }],
    [
      'where a trusted device may do',
      { purpose: 'look', once: false, ...({ bind: undefined, describe: undefined } as object) },
      {
        trustedDevices: { maxAgeMs: 60_000 },
        purposes: { login: {}, look: { trustedDevice: true }, transfer: {} },
      },
    ],
  ])('%s', async (_name, guard, options) => {
    const { host, ana } = await startPayHost(guard, options)
    const page = await post(ana, own)
    expect(page.status).toBe(403)
    expect(page.text).not.toContain(sent)
    expect(host.stub.sends).toHaveLength(1)
  })

  it('where the person may choose among an app or several numbers, but where a list holds one', async () => {
    const onFile = { numbers: ['+573001234567'], secret: undefined as string | undefined }
    const { host, ana } = await startPayHost(
      {},
      {
        phone: () => onFile.numbers,
        authenticator: { secretOf: () => onFile.secret, issuer: 'Acme' },
      },
    )
    onFile.secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
    expectStartPage(await post(ana, own))
    onFile.secret = undefined
    onFile.numbers.push('+573007654321')
    expectStartPage(await post(ana, own))
    expect(host.stub.sends).toHaveLength(1)
    onFile.numbers.pop()
    host.clock.now += 61_000
    await post(ana, own)
    expect(host.stub.sends).toHaveLength(2)
  })

  it('in place of a code for something else, nor before its cooldown is over', async () => {
    const { host, ana } = await startPayHost()
    await post(ana, own)
    host.clock.now += 61_000
    expectStartPage(await post(ana, own, '900'))
    expect((await ana.get('/two-factor')).json.challenge).toMatchObject({
      details: { rows: [['Amount', '5']] },
    })
    await ana.post('/two-factor/cancel', {})
    await ana.post('/two-factor/start', { purpose: 'login' })
    await ana.post('/two-factor/cancel', {})
    expectStartPage(await post(ana, own))
    expect(host.stub.sends).toHaveLength(3)
  })

  it('when the provider refuses, and a mistake of the host reaches its error handler', async () => {
    let phoneOf: TwoFactorOptions['phone'] = () => '+573001234567'
    const { host, ana } = await startPayHost({}, { phone: (req, subject) => phoneOf(req, subject) })
    host.stub.answerSend = () => ({ status: 400, json: { error: 'no' } })
    expectStartPage(await post(ana, own))
    phoneOf = () => Promise.reject(new Error('no database'))
    expect((await post(ana, own)).json).toEqual({ host: 'no database' })
  })
})
