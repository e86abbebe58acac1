import express, { type Express } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { type GuardOptions, memoryStore, type TwoFactor, type TwoFactorOptions } from '../../src/index.js'
import type { Answer, Browser } from './browser.js'
import { transfersAt } from './described-transfers.js'
import { type Host, hearWarnings, startHost, startSignedIn } from './kit.js'

/** A bank whose transfer survives its step-up. */
function startBank(
  guard: Partial<GuardOptions> = {},
  {
    parse = express.urlencoded({ extended: false }),
    options = {},
  }: { parse?: express.RequestHandler | undefined; options?: Partial<TwoFactorOptions> } = {},
): Promise<Host> {
  const resumed: Partial<GuardOptions> = {
    resume: true,
    bind: (req) => ({ body: req.body ?? null }),
    describe: (req) => ({ rows: [['Amount', String(req.body?.amount)]] }),
    ...guard,
  }
  return startHost({
    options,
    mount: (app: Express, tf: TwoFactor) => {
      transfersAt('/pay', resumed, [parse])(app, tf)
      app.post('/revoke', async (req, res) => {
        await tf.grants.revoke(req)
        res.json({})
      })
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

const requirementIn = ({ fields }: Answer) => fields.requirement ?? ''

/** Gives the code that a refused form asked for. Returns where success leads. */
async function prove(host: Host, browser: Browser, refused: Answer): Promise<string> {
  host.clock.now += 60_000
  const page = await host.ledBy(requirementIn(refused), browser)
  expect(page).not.toBe('')
  return page
}

const unescaped = (value: string) =>
  value.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_all, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name] ?? "'",
  )

const idField = 'twoFactorForm'
/** What the person typed, without the id that the page adds. */
const typed = (answer: Answer): string => {
  const fields = new URLSearchParams(formOn(answer)?.body)
  fields.delete(idField)
  return fields.toString()
}

/** The form on the page, as a browser would post it. */
function formOn({ text }: Answer): { readonly action: string; readonly body: string } | undefined {
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

const again = 'You will need to submit the form again after this.'

describe('a form that was interrupted', () => {
  const { said, codes } = hearWarnings()

  it('is shown after the code, with what it is for and one button that posts it again', async () => {
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
    const sent = await post(ana, '/pay', kept?.body ?? '')
    expect(sent.json).toEqual({ paid: { amount: '100', payee: 'Ben', _csrf: 't1' }, query: {} })
  })

  it('is told in the JSON too, and changed fields are refused', async () => {
    const host = await startBank()
    const { ana, refused } = await interrupted(host)
    const requirement = requirementIn(refused)
    host.clock.now += 60_000
    await ana.post('/two-factor/start', { requirement })
    const right = await ana.post('/two-factor/verify', { requirement, code: host.stub.rightCode })
    const shown = await ana.open(right.json.returnTo)
    expect(typed(shown)).toBe('amount=100&payee=Ben')
    expect((await post(ana, '/pay', 'amount=900&payee=Ben')).status).toBe(403)
    expect((await post(ana, '/pay', 'amount=100&payee=Ben')).status).toBe(200)
  })

  it('is shown until it is sent, and Back says then that it was', async () => {
    const host = await startBank()
    const { ana, refused } = await interrupted(host)
    const page = await prove(host, ana, refused)
    expect((await ana.send(page, { method: 'HEAD', headers: { accept: 'text/html' } })).status).toBe(200)
    const looks = await Promise.all(Array.from({ length: 20 }, () => ana.open(page)))
    expect(looks.map((look) => typed(look))).toEqual(Array(20).fill('amount=100&payee=Ben'))
    expect((await post(ana, '/pay', formOn(looks[0] as Answer)?.body ?? '')).status).toBe(200)
    const sent = await ana.open(page)
    expect(sent.status).toBe(410)
    expect(sent.text).toContain('You&#39;ve already sent this form.')
    expect(sent.text).not.toContain('Error')
    expect(formOn(sent)).toBeUndefined()
    const unknown = await ana.open('/two-factor?form=unknown')
    expect(unknown.status).toBe(410)
    expect(unknown.text).toContain(
      'This form is no longer saved. Check whether it went through before you fill it in again.',
    )
    expect((await ana.open('/two-factor?form=')).status).toBe(200)
  })

  it('is kept for the person, however many forms somebody posts who has nothing but the password', async () => {
    const host = await startBank()
    const ana = await host.signIn()
    host.clock.now += 60_000
    const thief = await host.login('ana')
    const floods = []
    for (let form = 0; form < 10; form += 1) floods.push(await post(thief, '/pay', `amount=${form}`))
    expect(floods.map(({ text }) => text.includes(again))).toEqual([...Array(9).fill(false), true])
    expect((await post(ana, '/pay', 'amount=100')).text).toContain('We&#39;ve saved your form.')
  })

  it('is not kept for a client that wants JSON, and one that is kept tells it nothing but the challenge', async () => {
    const host = await startBank()
    const asJson = await interrupted(host, 'amount=100', { accept: 'application/json' })
    host.clock.now += 60_000
    expect(await host.ledBy(asJson.refused.json.requirement, asJson.ana)).toBe('/')
    host.clock.now += 60_000
    const { ana, refused } = await interrupted(host)
    const page = await prove(host, ana, refused)
    host.clock.now += 60_000
    const { challenge } = (await ana.start()).json
    expect((await ana.get(page)).json).toEqual({ challenge })
    const inDialog = await ana.get(page, { accept: 'application/json;profile=dialog' })
    expect(inDialog.json.challenge).toEqual(challenge)
    expect(inDialog.json.html).not.toContain('Amount')
  })

  it('is not sent by a post that the guard refuses, nor by one that names another form', async () => {
    const host = await startBank({ once: false })
    const { ana, refused } = await interrupted(host)
    const page = await prove(host, ana, refused)
    const { body = '' } = formOn(await ana.open(page)) ?? {}
    expect((await post(ana, '/pay', body.replace('100', '900'))).status).toBe(403)
    const [first = ''] = body.split(`&${idField}`)
    for (const other of ['', `&${idField}=other`, `&${idField}=a&${idField}=b`]) {
      expect((await post(ana, '/pay', first + other)).json).toEqual({
        paid: { amount: '100', payee: 'Ben' },
        query: {},
      })
    }
    // The refused one took the place of the form for its path.
    expect((await ana.open(page)).text).toContain('no longer saved')
  })

  it.each(['cross-site', 'same-site'])('is not kept for another site: %s', async (site) => {
    const host = await startBank()
    const { ana, refused } = await interrupted(host, 'amount=1', { 'sec-fetch-site': site })
    expect(refused.text).toContain(again)
    expect(await prove(host, ana, refused)).toBe('/')
  })

  it('is not kept for another site that may post to the routes, nor shown by its link', async () => {
    const origin = 'https://partner.example'
    const host = await startBank({}, { options: { allowedOrigins: [origin] } })
    const { refused } = await interrupted(host, 'amount=1', { 'sec-fetch-site': 'cross-site', origin })
    expect(refused.text).toContain(again)
    const own = await interrupted(host)
    const page = await prove(host, own.ana, own.refused)
    const linked = await own.ana.get(page, { accept: 'text/html', 'sec-fetch-site': 'cross-site' })
    expect(linked.status).toBe(403)
    expect(formOn(linked)).toBeUndefined()
    expect((await own.ana.open(page)).status).toBe(200)
  })

  it('says beside a code that is live already that it has to be sent again', async () => {
    const host = await startBank({ resume: false, bind: () => ({}) })
    const { ana, refused } = await interrupted(host)
    host.clock.now += 60_000
    await ana.submit('/two-factor/start', { requirement: requirementIn(refused) })
    const live = await post(ana, '/pay', 'amount=100')
    expect(live.text).toContain('<h1>Check your phone</h1>')
    expect(live.text).toContain(again)
  })

  it.each([
    ['an upload', 'multipart/form-data; boundary=x', '--x\r\n\r\n--x--\r\n'],
    ['JSON', 'application/json', '{"amount":"1"}'],
    ['plain text', 'text/plain', 'amount=1'],
  ])('is not kept when it is %s, whoever parses it', async (_name, type, body) => {
    const parse: express.RequestHandler = (req, _res, next) => {
      req.body = { amount: '1' }
      next()
    }
    for (const parts of [{}, { parse }]) {
      const host = await startBank({ bind: () => ({}) }, parts)
      const { refused } = await interrupted(host, body, { 'content-type': type })
      expect(refused.text).toContain(again)
    }
    expect(await codes()).toEqual([])
  })

  it('is not kept when it is sent by another method, or to a path that is too long to come back to', async () => {
    const { ana } = await startSignedIn({
      mount: (app, tf) => {
        const guard = tf.requireTwoFactor({ purpose: 'pay', resume: true })
        app.all('/save', express.urlencoded({ extended: false }), guard, (_req, res) => void res.json({}))
      },
    })
    const headers = { 'sec-fetch-site': 'same-origin', ...form }
    for (const method of ['PUT', 'PATCH']) {
      const refused = await ana.send('/save', { method, body: 'amount=1', headers })
      expect([method, refused.status, refused.text.includes(again)]).toEqual([method, 403, true])
    }
    const path = (length: number) => `/save?x=${'x'.repeat(length - 8)}`
    expect((await post(ana, path(4_097), 'amount=1')).text).toContain(again)
    expect((await post(ana, path(4_096), 'amount=1')).text).not.toContain(again)
  })

  it.each([
    [
      'simple',
      express.urlencoded({ extended: false }),
      'a=1&a=2&a=1&b=&a%22%3E%3Cb%3E=%3Cscript%3E%26%27%0D%0A',
    ],
    [
      'extended',
      express.urlencoded({ extended: true }),
      'a[]=1&l[]=1&l[]=2&l[]=1&o[x][y]=1&o[z]=2&p[0][q]=1&m[0]=1&m[1][q]=2',
    ],
  ])('keeps every field in its order, however the host parses it: %s', async (_name, parse, body) => {
    const host = await startBank({}, { parse })
    const { ana, refused } = await interrupted(host, body)
    const page = await prove(host, ana, refused)
    const kept = formOn(await ana.open(page))
    const sent = await post(ana, kept?.action ?? '', kept?.body ?? '')
    expect(sent.status).toBe(200)
    const whole = express().post('/', parse, (req, res) => res.json(req.body))
    const read = await request(whole).post('/').set(form).send(body)
    expect(sent.json.paid).toEqual(read.body)
  })

  it('has to be sent again by hand when nobody has parsed it before the guard, and a warning says so once', async () => {
    const { host, ana } = await startSignedIn({
      mount: (app, tf) => {
        const guard = tf.requireTwoFactor({ purpose: 'pay', resume: true })
        app.post('/save', guard, express.urlencoded({ extended: false }), (req, res) => {
          res.json({ saved: req.body })
        })
      },
    })
    const refused = [await post(ana, '/save', 'b=1&a=2&b=3'), await post(ana, '/save', 'b=1')]
    for (const { text } of refused) expect(text).toContain(again)
    expect(await prove(host, ana, refused[0] as Answer)).toBe('/')
    expect((await post(ana, '/save', 'b=1')).json).toEqual({ saved: { b: '1' } })
    expect(await codes()).toEqual(['TWO_FACTOR_NOT_PARSED'])
    expect(said[0]?.message).toContain('`resume`')
  })

  it('may be a button and nothing else, which is kept again when it comes back too late', async () => {
    const host = await startBank({ bind: () => ({}) })
    const { ana, refused } = await interrupted(host, '')
    const kept = formOn(await ana.open(await prove(host, ana, refused)))
    host.clock.now += 6 * 60_000
    const late = await post(ana, '/pay', kept?.body ?? '')
    expect([late.status, late.text.includes(again)]).toEqual([403, false])
  })

  it('has to be sent again by hand when somebody else has swallowed its body', async () => {
    const parse: express.RequestHandler = (req, _res, next) => {
      req.resume().once('end', next)
    }
    const host = await startBank(
      { bind: () => ({}), describe: () => ({ rows: [['What', 'a payment']] }) },
      { parse },
    )
    const { refused } = await interrupted(host)
    expect(refused.text).toContain(again)
    expect(await codes()).toEqual([])
  })

  it("comes back with the host's current CSRF token, where the token is tied to the session's id", async () => {
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

  it('has to be sent again by hand when there is no room for it, and the refusal is the same', async () => {
    const host = await startBank({}, { options: { store: memoryStore({ maxGrants: 1 }) } })
    const { refused } = await interrupted(host)
    expect(refused.text).toContain('saved your form')
    const ben = await host.login('ben')
    expect((await post(ben, '/pay', 'amount=1')).text).toContain(again)
  })
})

describe('nobody else', () => {
  it('reads a form: neither another session, nor the id that the session had before', async () => {
    const host = await startBank()
    const { ana, refused } = await interrupted(host)
    const before = ana.copy()
    const page = await prove(host, ana, refused)
    const other = await host.signIn('ben')
    for (const stranger of [before, other, host.browser()]) {
      expect(formOn(await stranger.open(page))).toBeUndefined()
    }
    expect(formOn(await ana.open(page))).toBeDefined()
  })

  it('reads a form in another session of the account, which has given a proof of the same as well', async () => {
    const host = await startBank({ once: false })
    const { ana, refused } = await interrupted(host)
    const page = await prove(host, ana, refused)
    host.clock.now += 60_000
    const elsewhere = await interrupted(host)
    await prove(host, elsewhere.ana, elsewhere.refused)
    expect((await elsewhere.ana.open(page)).status).toBe(410)
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
    const { ana, refused } = await interrupted(host)
    const page = await prove(host, ana, refused)
    await happens(host, ana)
    const shown = await ana.open(page)
    expect([shown.status, formOn(shown)]).toEqual([410, undefined])
  })

  it('reads a form of another account in the same session, uses it up, or is told that it was sent', async () => {
    const host = await startBank()
    const { ana, refused } = await interrupted(host)
    const page = await prove(host, ana, refused)
    await ana.post('/switch', { user: 'ben' })
    expect(formOn(await ana.open(page))).toBeUndefined()
    await ana.post('/switch', { user: 'ana' })
    const { body = '' } = formOn(await ana.open(page)) ?? {}
    expect((await post(ana, '/pay', body)).status).toBe(200)
    await ana.post('/switch', { user: 'ben' })
    expect((await ana.open(page)).text).toContain('no longer saved')
  })
})
