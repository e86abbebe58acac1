import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createAgent } from '../../../src/tools/testing/rehearsal/agent.js'

import { createEar, saidBy } from '../../../src/tools/testing/rehearsal/ear.js'
import { spellingsOf } from '../../../src/tools/testing/rehearsal/hostile.js'
import { lastingPart } from '../../../src/tools/testing/rehearsal/pages.js'
import { curlLine } from '../../../src/tools/testing/rehearsal/report.js'
import { requestFor } from '../../../src/tools/testing/rehearsal/routes.js'
import {
  changeBetween,
  effectOf,
  hasEffect,
  isExactly,
  type Snapshot,
  snapshotOf,
  snapshotOfPages,
  timesIn,
} from '../../../src/tools/testing/rehearsal/snapshot.js'
import { inContentTypes } from '../../../src/tools/testing/rehearsal/variants.js'
import type { RehearsalRequest, RehearsalResponse } from '../../../src/tools/testing/rehearsal/wire.js'
import { listening } from '../../listening.js'

const origin = 'http://127.0.0.1:3000'
const response = (more: Partial<RehearsalResponse> = {}): RehearsalResponse => ({
  request: { method: 'GET', path: '/' },
  ...{ status: 200, headers: {}, text: '', json: undefined },
  ...more,
})

/** A browser in front of an app that responds with these, one after the other. */
function browsing(...answers: readonly Partial<RehearsalResponse>[]) {
  const sent: RehearsalRequest[] = []
  const send = async (request: RehearsalRequest) => {
    sent.push(request)
    return response({ request, ...answers[sent.length - 1] })
  }
  return { agent: createAgent({ origin, send, requests: () => sent.length, close() {} }), sent }
}

describe('the browser of a rehearsal', () => {
  it('sends the headers of a browser, by the kind of the body', async () => {
    const { agent, sent } = browsing({ headers: { 'set-cookie': ['a=1; Path=/', 'b=2=2; HttpOnly'] } })
    await agent.get('/')
    await agent.post('/json', { to: 'ñ' })
    await agent.post('/form', new URLSearchParams({ to: 'ñ' }))
    await agent.send({ method: 'HEAD', path: '/', body: 'ñ', headers: { accept: '' } })
    agent.headers.authorization = 'Bearer x'
    await agent.copy(['a']).post('/none', null, { accept: 'text/html' })
    const both = 'a=1; b=2=2'
    const json = { 'sec-fetch-site': 'same-origin', accept: 'application/json' }
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '9' }
    expect(sent.map(({ headers }) => headers)).toMatchObject([
      json,
      { ...json, origin, cookie: both, 'content-type': 'application/json', 'content-length': '11' },
      { ...json, origin, cookie: both, ...form },
      { 'sec-fetch-site': 'same-origin', cookie: both, 'content-length': '2' },
      { ...json, origin, cookie: 'b=2=2', accept: 'text/html', authorization: 'Bearer x' },
    ])
    expect(sent[0]?.headers).not.toHaveProperty('origin')
    expect(sent[3]?.headers).not.toHaveProperty('accept')
    expect(agent.setCookies.get('b')).toBe('b=2=2; HttpOnly')
  })

  it('keeps a cookie until it ends', async () => {
    const [past, future] = ['Thu, 01 Jan 1970 00:00:00 GMT', 'Fri, 01 Jan 2100 00:00:00 GMT']
    const ways = [`a=; expires=${past}`, 'b=; Max-Age=0', 'c=; Max-Age=-1', `d=1; Expires=${future}`]
    const { agent } = browsing(
      { headers: { 'set-cookie': ['a=1', 'b=1', 'c=1', 'd=0'] } },
      { headers: { 'set-cookie': [...ways, 'e=1; Max-Age=60', `f=1; not-expires=${past}; max-age-not=0`] } },
    )
    await agent.get('/')
    await agent.get('/')
    expect([...agent.cookies]).toEqual(['d', 'e', 'f'].map((name) => [name, '1']))
  })

  it('follows redirects on its site, ten at most', async () => {
    const to = (status: number, location?: string) => ({ status, headers: { ...(location && { location }) } })
    const ways = [to(300, '/a?b=c'), to(399, `${origin}/d`), to(302, 'e'), to(302, 'http://127.0.0.1/f')]
    const { agent, sent } = browsing(...ways)
    const end = await agent.follow(await agent.post('/x', undefined, { accept: 'text/x' }))
    expect(end.headers.location).toBe('http://127.0.0.1/f')
    const asked = sent.map(({ method, path }) => `${method} ${path}`)
    expect(asked).toEqual(['POST /x', 'GET /a?b=c', 'GET /d', 'GET /e'])
    expect(sent[3]?.headers?.accept).toBe('text/x')
    const elsewhere = [to(302), to(302, 'http://['), to(302, 'https://127.0.0.1:3000/')]
    for (const last of [to(400, '/a'), to(200, '/a'), ...elsewhere]) {
      const browser = browsing()
      await browser.agent.follow(response(last))
      expect(browser.sent).toEqual([])
    }
    const round = browsing(...Array.from({ length: 20 }, () => to(302, '/')))
    await round.agent.follow(await round.agent.get('/'))
    expect(round.sent).toHaveLength(11)
  })
})

describe('what a rehearsal sends', () => {
  it('is a path in every spelling', () => {
    expect(spellingsOf('/to/pay')).toEqual([
      ...['/to/pay', '/to/pay/', '/TO/PAY', '/to/Pay', '/to/Pay/'],
      ...['/to/pay?purpose=login', '/to/pay?twoFactor=1&req.twoFactor=1', '/to/pay#x'],
      ...['/to//pay', '//to/pay', '/to/./pay', '/to/x/../pay'],
      ...['/to/%70ay', '/%74o/pay', '/%54O/%70ay'],
      ...['/to%2Fpay', '/to/pay%2F', '/to/pay%00', '/to/pay%20', '/to/pay%', '/to/pay%0d%0aX:1'],
      ...['/to/pay;admin=1', '/to/pay.json', '/to/%2e/pay', '/to/%2e%2e/to/pay', '/to\\pay', '/to/pay%C3%B3'],
      'http://localhost/to/pay',
    ])
  })

  it.each([
    ['ALL /notes{/:id}/*file', { method: 'POST', path: '/notes/1' }],
    ['PUT /cards/:id(\\d+)', { method: 'PUT', path: '/cards/1' }],
    [`PUT /notes/${/^\/a$/}`, undefined],
  ])('is for the route %s the request %j', (route, request) => {
    expect(requestFor(route)).toEqual(request)
  })

  it('has equal fields in every content type', () => {
    const [json, form] = ['{"to":"Eve","amount":5}', 'to=Eve&amount=5']
    const part = (name: string, value: string) =>
      `--rehearsal\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const parts = `${part('to', 'Eve')}${part('amount', '5')}--rehearsal--\r\n`
    expect(inContentTypes({ to: 'Eve', amount: 5 }).map(({ type, body }) => [type, body])).toEqual([
      ['application/json', json],
      ['application/json; charset=utf-16', json],
      ['application/vnd.api+json', json],
      ['text/plain', json],
      ['application/x-www-form-urlencoded', form],
      ['Application/X-WWW-Form-Urlencoded; charset=iso-8859-1', form],
      ['multipart/form-data; boundary=rehearsal', parts],
    ])
  })
})

describe('what a rehearsal tells', () => {
  it('is a line for a shell, without secrets', () => {
    const headers = { cookie: 'sid=1', authorization: 'Bearer x', accept: "a'b", 'content-length': '9' }
    const told = "-H \"cookie: $COOKIE\" -H \"authorization: $TOKEN\" -H 'accept: a'\\''b'"
    const line = (body?: unknown) => curlLine(origin, { method: 'PUT', path: '/a', headers, body })
    const start = `curl -i -X PUT 'http://127.0.0.1:3000/a' ${told}`
    expect(line()).toBe(start)
    expect(line({ code: '123456', n: 5, password: 'sesame' })).toBe(
      `${start} --data '{"code":"…","n":5,"password":"…"}'`,
    )
    expect(line(new URLSearchParams({ Code: '123456', to: 'x' }))).toBe(`${start} --data 'Code=…&to=x'`)
    expect(curlLine(origin, { method: 'GET', path: '/' })).toBe("curl -i -X GET 'http://127.0.0.1:3000/'")
  })

  it.skipIf(process.env.CI !== 'true' && spawnSync('curl', ['--version']).error !== undefined)(
    'is the same request again, in every spelling',
    async () => {
      const paths: string[] = []
      const app = await listening((req, res) => {
        paths.push(req.url ?? '')
        res.end()
      })
      const spellings = [...spellingsOf('/to/pay'), '/to/[1-2]/{a,b}?c=[]']
      const lines = spellings.map((path) => curlLine(app.origin, { method: 'POST', path, body: { n: 5 } }))
      await promisify(execFile)('sh', ['-c', lines.join('\n')])
      await app.close()
      expect(paths).toEqual(spellings)
    },
  )

  it.each([
    ['{"code":"123456"}', 'a code'],
    ['your code is 123456, again 12', 'a code'],
    ['Your Acme code is 123456.', 'a code'],
    ['code -123456- (.123456...)', 'a code'],
    ['1234567 0123456 12.123456 x-123456 123456-x {"atMs":123456}', undefined],
    ['key=sandbox-key;', 'the key of the account'],
  ])('is of %j %s', (text, secret) => {
    const ear = createEar({ key: 'sandbox-key' })
    ear.close()
    ear.codes.add('123456')
    expect(ear.secretIn(text)).toBe(secret)
  })

  it('is no code for the digits of a header that counts or times something', () => {
    const ear = createEar({ key: 'sandbox-key' })
    ear.close()
    for (const code of ['2026', '3600', '1234', '4d2a']) ear.codes.add(code)
    const headers = {
      date: 'Fri, 27 Nov 2026 14:00:00 GMT',
      'last-modified': 'Fri, 27 Nov 2026 14:00:00 GMT',
      expires: 'Fri, 27 Nov 2026 14:00:00 GMT',
      etag: '"4d2a"',
      'content-length': '1234',
      'cache-control': 'private, max-age=3600',
      'strict-transport-security': 'max-age=3600',
      'retry-after': '3600',
      ratelimit: '"address";r=1234;t=3600',
      'x-ratelimit-reset': '3600',
      'set-cookie': ['sid=x; Expires=Fri, 27 Nov 2026 14:00:00 GMT; Max-Age=3600'],
    }
    expect(ear.secretIn(saidBy(response({ headers })))).toBeUndefined()
    for (const said of [
      { headers: { 'x-code': '1234' } },
      { headers: { 'x-date': '1234' } },
      { headers: { 'set-cookie': ['code=1234; Path=/'] } },
    ]) {
      expect(ear.secretIn(saidBy(response(said)))).toBe('a code')
    }
  })
})

describe('the state that a rehearsal compares', () => {
  const shop = (orders: readonly object[], balance: number) =>
    snapshotOf({ orders, balance: String(balance) })
  const one = changeBetween(shop([], 100), shop([{ id: 'a1', amount: 5 }], 95))
  const other = changeBetween(shop([], 80), shop([{ id: 'b2', amount: 5 }], 75))
  const effect = effectOf(one, other)
  const orders = (...amounts: number[]) => amounts.map((amount, id) => ({ id: `x${id}`, amount }))

  it('has the parts that an action changes for every user, without ids', () => {
    const parts = { '.orders.length#': 1, '.orders[].amount#': 5, '.balance#': -5 }
    expect(Object.fromEntries(effect.parts)).toEqual(parts)
    expect(Object.fromEntries(effect.exact)).toEqual(parts)
  })

  it.each<[string, ReturnType<typeof changeBetween>, readonly [boolean, boolean, number]]>([
    ['nothing', changeBetween(shop([], 50), shop([], 50)), [false, false, 0]],
    ['a sign-in', changeBetween(snapshotOf({ at: 1 }), snapshotOf({ at: 9 })), [false, false, 0]],
    ['the action', changeBetween(shop([], 50), shop(orders(5), 45)), [true, true, 1]],
    ['three', changeBetween(shop([], 50), shop(orders(5, 5, 5), 35)), [true, false, 3]],
    ['a deposit', changeBetween(shop([], 50), shop([], 55)), [false, false, 0]],
  ])('tells %s from the action', (_what, change, wanted) => {
    expect([hasEffect(change, effect), isExactly(change, effect), timesIn(change, effect)]).toEqual(wanted)
  })

  it('is of a page its status, tags, words and numbers, without scripts', () => {
    const page = (text: string, status = 200) => snapshotOfPages([response({ text, status })])
    const html = '<ul><li>Luis 1,005</li></ul><script>var at = 17</script><!-- 4 -->'
    expect(Object.fromEntries(page(html))).toEqual({
      ...{ '0 status=200': 1, '0<ul>#': 1, '0<li>#': 1, '0=ul': 2, '0=li': 2 },
      ...{ '0=Luis': 1, '0 Luis#': 1005 },
    })
    expect(Object.fromEntries(page(html, 404))).toEqual({ '0 status=404': 1 })
    expect(hasEffect(changeBetween(page(''), page('', 401)), effectOf(one, one))).toBe(false)
  })

  it.each([
    ['text with commas', (...sent: string[]) => `<p>Sent: ${sent.join(', ')}`],
    ['a list', (...sent: string[]) => sent.map((one) => `<li>${one}`).join('')],
  ])('counts an action by its words on a page: %s', (_what, page) => {
    const shown = (...sent: string[]) => snapshotOfPages([response({ text: page(...sent) })])
    const one = changeBetween(shown(), shown('80→Bob'))
    const times = (...sent: string[]) =>
      timesIn(changeBetween(shown('80→Bob'), shown('80→Bob', ...sent)), effectOf(one, one))
    expect([times(), times('80→Bob'), times('80→Bob', '80→Bob', '80→Bob')]).toEqual([0, 1, 3])
  })

  it('counts any change if no part is common to two of them, and nothing without a sum', () => {
    const versions = ['a', 'b', 'c', 'd'].map((version) => snapshotOf(version))
    const [a, b, c, d] = versions as [Snapshot, Snapshot, Snapshot, Snapshot]
    const unlike = effectOf(changeBetween(a, b), changeBetween(c, d))
    expect(hasEffect(changeBetween(b, c), unlike)).toBe(true)
    expect(hasEffect(changeBetween(b, b), unlike)).toBe(false)
    expect(timesIn(changeBetween(b, c), unlike)).toBe(0)
  })
})

describe('a page with content that is chosen at random', () => {
  const sight = {
    page: response({ request: { method: 'GET', path: '/account' }, text: 'ana sunscreen scarf' }),
    marks: new Set(['ana', 'sunscreen', 'scarf']),
    isPublic: false,
  }

  it('counts only the content that its owner gets at each further reading', async () => {
    const tips = [
      'umbrella scarf',
      'sunscreen scarf',
      'sunscreen gloves',
      'umbrella gloves',
      'sunscreen scarf',
    ]
    const { agent, sent } = browsing(...tips.map((text) => ({ text: `ana ${text}` })))
    expect((await lastingPart(agent, sight)).marks).toEqual(new Set(['ana']))
    expect(sent.map(({ path }) => path)).toEqual(tips.map(() => '/account'))
  })

  it('counts all content if the session of its owner has ended', async () => {
    const { agent } = browsing({ text: 'ana gloves' }, { status: 401, text: 'Sign in.' })
    expect((await lastingPart(agent, sight)).marks).toEqual(sight.marks)
  })
})
