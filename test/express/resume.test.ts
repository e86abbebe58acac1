import express from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { type GuardOptions, memoryStore, type TwoFactorOptions } from '../../src/index.js'
import type { Answer, Browser } from './browser.js'
import { transfersAt } from './described-transfers.js'
import { type Host, hearWarnings, startHost, startSignedIn } from './kit.js'

const urlencoded = express.urlencoded({ extended: false })

/** A bank whose transfer survives its step-up. */
function startBank(
  guard: Partial<GuardOptions> = {},
  {
    parse = urlencoded,
    options = {},
  }: { parse?: express.RequestHandler; options?: Partial<TwoFactorOptions> } = {},
): Promise<Host> {
  const resumed: Partial<GuardOptions> = {
    resume: true,
    bind: (req) => ({ body: req.body ?? null }),
    describe: (req) => ({ rows: [['Amount', String(req.body?.amount)]] }),
    ...guard,
  }
  return startHost({
    options,
    mount(app, tf) {
      transfersAt('/pay', resumed, [parse])(app, tf)
      app.post('/revoke', (req, res) => tf.grants.revoke(req).then(() => res.json({})))
      app.post('/switch', express.json(), (req, res) => {
        req.session.userId = req.body.user
        res.json({})
      })
    },
  })
}

const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' }
const post = (browser: Browser, path: string, body: string, headers: Record<string, string> = {}) =>
  browser.send(path, {
    method: 'POST',
    body,
    headers: { 'sec-fetch-site': 'same-origin', ...form, ...headers },
  })

/** Gives the code that a refused form asked for. Returns where success leads. */
async function prove(host: Host, browser: Browser, { fields, json }: Answer): Promise<string> {
  host.clock.now += 60_000
  return host.ledBy(fields.requirement ?? json.requirement, browser)
}

/** The form on the page, as a browser would post it. */
function formOn({ text }: Answer): { readonly action: string; readonly body: string } | undefined {
  const unescaped = (value: string) =>
    value.replace(
      /&(amp|lt|gt|quot|#39);/g,
      (_all, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name] ?? "'",
    )
  const [, action, inner = ''] = /<form method="post" action="([^"]*)">(.*?)<\/form>/s.exec(text) ?? []
  if (action === undefined) return undefined
  const fields = [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
    ([, name = '', value = '']): [string, string] => [unescaped(name), unescaped(value)],
  )
  return { action: unescaped(action), body: new URLSearchParams(fields).toString() }
}

async function interrupted(host: Host, body = 'amount=100&payee=Ben', headers = {}) {
  const ana = await host.signIn()
  const refused = await post(ana, '/pay', body, headers)
  expect(refused.status).toBe(403)
  return { ana, refused }
}

/** A form that was interrupted, and the page that shows it after the code. */
async function confirmed(host: Host, body?: string) {
  const { ana, refused } = await interrupted(host, body)
  return { ana, page: await prove(host, ana, refused) }
}

const idField = 'twoFactorForm'
const again = 'You will need to submit the form again after this.'

describe('a form that was interrupted', () => {
  const { said, codes } = hearWarnings()

  it('is shown after the code, with its details and one button that posts it again', async () => {
    const host = await startBank()
    const { ana, refused } = await interrupted(host, 'amount=100&payee=Ben&_csrf=t1')
    expect(refused.text).toContain('We&#39;ve saved your form. You can submit it after this step.')
    expect(refused.text).not.toContain(again)
    const page = await prove(host, ana, refused)
    expect(page).toMatch(/^\/two-factor\?form=[\w-]{22}$/)
    const shown = await ana.open(page)
    expect(shown.status).toBe(200)
    expect(shown.text).toContain('<dt><bdi>Amount</bdi></dt><dd><bdi>100</bdi></dd>')
    expect(shown.text.match(/<button/g)).toHaveLength(1)
    expect(shown.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const kept = formOn(shown)
    expect(kept?.action).toBe('/pay')
    expect(kept?.body).toBe(`amount=100&payee=Ben&_csrf=t1&${idField}=${page.split('=')[1]}`)
    expect((await post(ana, '/pay', kept?.body.replace('100', '900') ?? '')).status).toBe(403)
    const sent = await post(ana, '/pay', kept?.body ?? '')
    expect(sent.json).toEqual({ paid: { amount: '100', payee: 'Ben', _csrf: 't1' }, query: {} })
  })

  it('is shown until it is sent, and Back shows that it was sent', async () => {
    const host = await startBank()
    const { ana, page } = await confirmed(host)
    expect((await ana.send(page, { method: 'HEAD', headers: { accept: 'text/html' } })).status).toBe(200)
    const shown = await ana.open(page)
    expect(formOn(await ana.open(page))).toEqual(formOn(shown))
    const { body = '' } = formOn(shown) ?? {}
    expect((await post(ana, '/pay', body)).status).toBe(200)
    // Pressed twice, or the result loaded again: that is no reason to pay for another code.
    host.clock.now += 60_000
    const paid = host.stub.sends.length
    const twice = [await post(ana, '/pay', body), await post(ana, '/pay', body)]
    expect(twice.map(({ status, location }) => [status, location])).toEqual(Array(2).fill([303, page]))
    expect(host.stub.sends).toHaveLength(paid)
    expect((await post(ana, '/pay', body, { accept: 'application/json' })).status).toBe(403)
    const sent = await ana.open(page)
    expect(sent.status).toBe(410)
    expect(sent.text).toContain('You&#39;ve already sent this form.')
    expect(formOn(sent)).toBeUndefined()
    const unknown = await ana.open('/two-factor?form=unknown')
    expect([unknown.status, unknown.text.includes('no longer saved')]).toEqual([410, true])
    expect((await ana.open('/two-factor?form=')).status).toBe(200)
  })

  it('is saved for the user, although an attacker with the password posts many forms', async () => {
    const host = await startBank()
    const ana = await host.signIn()
    host.clock.now += 60_000
    const thief = await host.login('ana')
    for (let form = 0; form < 9; form += 1) await post(thief, '/pay', `amount=${form}`)
    expect((await post(thief, '/pay', 'amount=9')).text).toContain(again)
    expect((await post(ana, '/pay', 'amount=100')).text).toContain('We&#39;ve saved your form.')
  })

  it('is not saved for a client that wants JSON, and a saved one returns only the challenge', async () => {
    const host = await startBank()
    const asJson = await interrupted(host, 'amount=100', { accept: 'application/json' })
    expect(await prove(host, asJson.ana, asJson.refused)).toBe('/')
    host.clock.now += 60_000
    const { ana, page } = await confirmed(host)
    host.clock.now += 60_000
    const { challenge } = (await ana.start()).json
    expect((await ana.get(page)).json).toEqual({ challenge })
    const inDialog = await ana.get(page, { accept: 'application/json;profile=dialog' })
    expect(inDialog.json.challenge).toEqual(challenge)
    expect(inDialog.json.html).not.toContain('Amount')
  })

  it('is not sent by a post that the guard refuses, nor by a post that names another form', async () => {
    const host = await startBank({ once: false })
    const { ana, page } = await confirmed(host)
    const { body = '' } = formOn(await ana.open(page)) ?? {}
    const [first = ''] = body.split(`&${idField}`)
    for (const other of ['', `&${idField}=other`, `&${idField}=a&${idField}=b`]) {
      expect((await post(ana, '/pay', first + other)).json.paid).toEqual({ amount: '100', payee: 'Ben' })
    }
    expect(formOn(await ana.open(page))).toBeDefined()
    expect((await post(ana, '/pay', body.replace('100', '900'))).status).toBe(403)
    // The refused one took the place of the form for its path.
    expect((await ana.open(page)).text).toContain('no longer saved')
  })

  it('is not kept for another site, though it may post to the routes, nor shown by its link', async () => {
    const origin = 'https://partner.example'
    const host = await startBank({}, { options: { allowedOrigins: [origin] } })
    for (const site of [{ 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'cross-site', origin }]) {
      const { ana, refused } = await interrupted(host, 'amount=1', site)
      expect(refused.text).toContain(again)
      expect(await prove(host, ana, refused)).toBe('/')
      host.clock.now += 60_000
    }
    const { ana, page } = await confirmed(host)
    const linked = await ana.get(page, { accept: 'text/html', 'sec-fetch-site': 'cross-site' })
    expect([linked.status, formOn(linked)]).toEqual([403, undefined])
    expect((await ana.open(page)).status).toBe(200)
  })

  const swallows: express.RequestHandler = (req, _res, next) => void req.resume().once('end', next)
  const fills: express.RequestHandler = (req, _res, next) => {
    req.body = { amount: '1' }
    next()
  }
  it.each<[string, string, string, express.RequestHandler]>([
    ['it is an upload', 'multipart/form-data; boundary=x', '--x\r\n\r\n--x--\r\n', fills],
    ['it is JSON', 'application/json', '{"amount":"1"}', express.json()],
    ['somebody else has swallowed its body', form['content-type'], 'amount=1', swallows],
  ])('is not kept when %s', async (_name, type, body, parse) => {
    const host = await startBank({ bind: () => ({}) }, { parse })
    const { refused } = await interrupted(host, body, { 'content-type': type })
    expect(refused.text).toContain(again)
    expect(await codes()).toEqual([])
  })

  it('is not saved for another method, or for a path that is too long to return to', async () => {
    const { ana } = await startSignedIn({
      mount: (app, tf) => {
        const guard = tf.requireTwoFactor({ purpose: 'pay', resume: true })
        app.all('/save', urlencoded, guard, (_req, res) => void res.json({}))
      },
    })
    const headers = { 'sec-fetch-site': 'same-origin', ...form }
    const put = await ana.send('/save', { method: 'PUT', body: 'amount=1', headers })
    expect([put.status, put.text.includes(again)]).toEqual([403, true])
    const path = (length: number) => `/save?x=${'x'.repeat(length - 8)}`
    expect((await post(ana, path(4_097), 'amount=1')).text).toContain(again)
    expect((await post(ana, path(4_096), 'amount=1')).text).not.toContain(again)
  })

  it.each([
    ['simple', urlencoded, 'a=1&a=2&a=1&b=&a%22%3E%3Cb%3E=%3Cscript%3E%26%27%0D%0A'],
    [
      'extended',
      express.urlencoded({ extended: true }),
      'a[]=1&l[]=1&l[]=2&l[]=1&o[x][y]=1&o[z]=2&p[0][q]=1&m[0]=1&m[1][q]=2',
    ],
  ])('keeps every field in its order, however the host parses it: %s', async (_name, parse, body) => {
    const host = await startBank({}, { parse })
    const { ana, page } = await confirmed(host, body)
    const kept = formOn(await ana.open(page))
    const sent = await post(ana, kept?.action ?? '', kept?.body ?? '')
    const whole = express().post('/', parse, (req, res) => res.json(req.body))
    const read = await request(whole).post('/').set(form).send(body)
    expect(sent.json.paid).toEqual(read.body)
  })

  it('must be submitted again by hand if it was not parsed before the guard, with one warning', async () => {
    const { host, ana } = await startSignedIn({
      mount: (app, tf) => {
        const guard = tf.requireTwoFactor({ purpose: 'pay', resume: true })
        app.post('/save', guard, urlencoded, (req, res) => void res.json({ saved: req.body }))
      },
    })
    const refused = [await post(ana, '/save', 'b=1&a=2&b=3'), await post(ana, '/save', 'b=1')] as const
    for (const { text } of refused) expect(text).toContain(again)
    expect(await prove(host, ana, refused[0])).toBe('/')
    expect((await post(ana, '/save', 'b=1')).json).toEqual({ saved: { b: '1' } })
    expect(await codes()).toEqual(['TWO_FACTOR_NOT_PARSED'])
    expect(said[0]?.message).toMatch(/`resume`.* \(POST \/save\)$/)
  })

  it('has the current CSRF token of the app if the token depends on the session id', async () => {
    const tokenOf = (req: express.Request) => `token-of-${req.sessionID}`
    const host = await startBank(
      { bind: (req) => ({ amount: req.body.amount }) },
      { options: { pages: { formFields: (req) => ({ _csrf: tokenOf(req) }) } } },
    )
    host.app.get('/token', (req, res) => void res.json(tokenOf(req)))
    const ana = await host.signIn()
    const before = (await ana.get('/token')).json
    const refused = await post(ana, '/pay', `amount=1&_csrf=${before}`)
    const kept = formOn(await ana.open(await prove(host, ana, refused)))
    const after = (await ana.get('/token')).json
    expect(after).not.toBe(before)
    expect(new URLSearchParams(kept?.body).getAll('_csrf')).toEqual([after])
    expect((await post(ana, '/pay', kept?.body ?? '')).status).toBe(200)
  })

  it('must be submitted again by hand if there is no room, with an unchanged refusal', async () => {
    const host = await startBank({}, { options: { store: memoryStore({ maxGrants: 1 }) } })
    const { refused } = await interrupted(host)
    expect(refused.text).toContain('saved your form')
    const ben = await host.login('ben')
    expect((await post(ben, '/pay', 'amount=1')).text).toContain(again)
  })
})

describe('nobody else', () => {
  it('reads a form: no other session, though of the account, nor the id that the session had before', async () => {
    const host = await startBank({ once: false })
    const { ana, refused } = await interrupted(host)
    const before = ana.copy()
    const page = await prove(host, ana, refused)
    host.clock.now += 60_000
    const { ana: elsewhere } = await confirmed(host)
    const ben = await host.signIn('ben')
    for (const stranger of [before, elsewhere, ben, host.browser()]) {
      expect(formOn(await stranger.open(page))).toBeUndefined()
    }
    expect(formOn(await ana.open(page))).toBeDefined()
  })

  it.each<[string, (host: Host, ana: Browser) => unknown]>([
    ['after a revocation, though the session goes on', (_host, ana) => ana.post('/revoke', {})],
    ['after a sign-out', (_host, ana) => ana.post('/switch', {})],
    [
      'whose proof is too old',
      ({ clock }) => {
        clock.now += 6 * 60_000
      },
    ],
  ])('reads a form %s, and all that is told is that it is gone', async (_when, happens) => {
    const host = await startBank()
    const { ana, page } = await confirmed(host)
    await happens(host, ana)
    const shown = await ana.open(page)
    expect([shown.status, formOn(shown)]).toEqual([410, undefined])
  })

  it('reads a form of a different account in the session, uses it up, or learns that it was sent', async () => {
    const host = await startBank()
    const { ana, page } = await confirmed(host)
    await ana.post('/switch', { user: 'ben' })
    expect(formOn(await ana.open(page))).toBeUndefined()
    await ana.post('/switch', { user: 'ana' })
    const { body = '' } = formOn(await ana.open(page)) ?? {}
    expect((await post(ana, '/pay', body)).status).toBe(200)
    await ana.post('/switch', { user: 'ben' })
    expect((await ana.open(page)).text).toContain('no longer saved')
  })
})
