import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { CodeProvider } from '../../src/index.js'
import type { Browser } from './browser.js'
import { byHand, gate, type Host, signupAt, startHost, startLoggedIn, startVisit } from './kit.js'

const form = {
  accept: 'text/html',
  'content-type': 'application/x-www-form-urlencoded',
  'sec-fetch-site': 'same-origin',
}

/** A post of this form that its browser may give up. */
function begin(browser: Browser, path: string, fields: Record<string, string>) {
  const post = browser.copy().request('POST', path, form).send(new URLSearchParams(fields).toString())
  post.end(() => undefined)
  return post
}

/** From now on the provider answers once it is told to. */
function hold({ stub }: Host) {
  const { answerSend, answerCheck } = stub
  const [asked, held] = [gate(), gate()]
  const wait = async () => {
    asked.open()
    await held.opened
  }
  stub.answerSend = async (given) => wait().then(() => answerSend(given))
  stub.answerCheck = async (given) => wait().then(() => answerCheck(given))
  return { asked: asked.opened, answer: held.open }
}

/**
 * Both posts of a double click, the second while the first waits for the provider. A browser shows the answer to the
 * second: it gives up the first, and never has its cookies.
 */
async function twice(host: Host, browser: Browser, path: string, fields: Record<string, string>) {
  const { stub } = host
  const exchanges = () => stub.sends.length + stub.checks.length
  const before = exchanges()
  const { asked, answer } = hold(host)
  const first = begin(browser, path, fields)
  await asked
  const second = browser.submit(path, fields)
  await Promise.race([second, sleep(50)])
  first.abort()
  await sleep(50)
  answer()
  return { shown: await second, exchanges: exchanges() - before }
}

describe('a double click without scripts', () => {
  it('on the button of a correct code signs in with the session that the first post has renewed', async () => {
    const { host, ana } = await startLoggedIn()
    await ana.submit('/two-factor/start', { returnTo: '/inbox' })
    const { fields } = await ana.open('/two-factor?returnTo=/inbox')
    const old = ana.copy()
    const { shown, exchanges } = await twice(host, ana, '/two-factor/verify', {
      ...fields,
      code: host.stub.rightCode,
    })
    expect([shown.status, shown.location, exchanges]).toEqual([303, '/inbox', 1])
    expect((await ana.get('/account')).status).toBe(200)
    // Session fixation: whoever holds the old cookies has nothing, and gets nothing by the same form.
    await old.submit('/two-factor/verify', { ...fields, code: host.stub.rightCode })
    expect((await old.get('/account')).status).toBe(401)
  })

  it('on the button of a wrong code uses one attempt', async () => {
    const { host, ana } = await startLoggedIn()
    await ana.submit('/two-factor/start')
    const { fields } = await ana.open('/two-factor')
    const { shown, exchanges } = await twice(host, ana, '/two-factor/verify', { ...fields, code: '000000' })
    expect([shown.status, exchanges]).toEqual([422, 1])
    expect(shown.text).toContain('You have 4 tries left.')
    expect(shown.text).toContain('id="code"')
  })

  it.each(['start', 'resend'])('on that which sends a code leads to its page: %s', async (route) => {
    const { host, ana } = await startLoggedIn()
    if (route === 'resend') {
      await ana.submit('/two-factor/start')
      host.clock.now += 60_000
    }
    const { fields } = await ana.open('/two-factor')
    const { shown, exchanges } = await twice(host, ana, `/two-factor/${route}`, fields)
    expect([shown.status, exchanges]).toEqual([303, 1])
    const page = await ana.open(shown.location)
    expect(page.text).toContain('id="code"')
    expect(page.text).not.toContain('A code was sent a moment ago')
    const right = await ana.submit('/two-factor/verify', { ...page.fields, code: host.stub.rightCode })
    expect(right.location).toBe('/')
  })

  it.each<[string, Record<string, string>]>([
    ['first cookie', {}],
    ['first session', { theme: 'dark' }],
  ])('on that of a number at a signup, by the %s, leads to the page of its code', async (_what, cookies) => {
    const { host, visitor } = await startVisit({ mount: signupAt('/signup') })
    for (const [name, value] of Object.entries(cookies)) visitor.cookies.set(name, value)
    const { fields } = await visitor.open('/signup')
    const typed = { ...fields, phone: '300 765 4321', country: 'CO' }
    const { shown, exchanges } = await twice(host, visitor, '/signup/start', typed)
    expect([shown.status, exchanges]).toEqual([303, 1])
    expect((await visitor.open(shown.location)).text).toContain('id="code"')
  })

  it('on a form whose guard is called by hand asks for the code of that form, once', async () => {
    const { host, ana } = await startLoggedIn({
      mount(app, tf) {
        const guard = tf.requireTwoFactor({ purpose: 'own', bind: (req) => ({ number: req.body.number }) })
        app.post('/own', tf.ownRoute('POST', byHand(guard)))
      },
    })
    const { shown, exchanges } = await twice(host, ana, '/own', { number: '1' })
    expect([shown.status, exchanges]).toEqual([403, 1])
    expect(shown.text).toContain('id="code"')
    await ana.submit('/two-factor/verify', { ...shown.fields, code: host.stub.rightCode })
    expect((await ana.submit('/own', { number: '1' })).location).toBe('/done')
  })

  it('is carried out by the second post where the first was given up before anything was asked', async () => {
    const held = gate()
    const sentTo: string[] = []
    const provider: CodeProvider = {
      maxExchanges: 3,
      async sendCode({ destination }) {
        sentTo.push(destination)
        await held.opened
        return { result: 'sent' }
      },
      checkCode: async () => 'rejected',
    }
    const host = await startHost({ provider: () => provider })
    const [ben, eva, ana] = [await host.login('ben'), await host.login('eva'), await host.login()]
    const busy = [ben.start(), eva.start()]
    await vi.waitFor(() => expect(sentTo).toHaveLength(2))
    const first = begin(ana, '/two-factor/start', {})
    await sleep(50)
    const second = ana.submit('/two-factor/start')
    first.abort()
    await sleep(50)
    held.open()
    const statuses = (await Promise.all([second, ...busy])).map(({ status }) => status)
    expect(statuses).toEqual([303, 201, 201])
    expect(sentTo.at(-1)).toBe('+573001234567')
    expect(sentTo).toHaveLength(3)
  })
})

describe('two posts at once of an own route', () => {
  it.each([
    ['/own?plan=a', '/own?plan=a', 1],
    ['/own?plan=a', '/own?plan=b', 2],
  ] as const)('to %s and %s run the handler %i times', async (one, other, runs) => {
    const held = gate()
    let count = 0
    const { ana } = await startLoggedIn({
      mount(app, tf) {
        app.post(
          '/own',
          tf.ownRoute('POST', async () => {
            count += 1
            await held.opened
            return { location: '/done', body: {} }
          }),
        )
      },
    })
    const posts = [ana.submit(one), ana.submit(other)]
    await vi.waitFor(() => expect(count).toBe(runs))
    await sleep(50)
    held.open()
    await Promise.all(posts)
    expect(count).toBe(runs)
  })
})

describe('two posts at once that are not of one page in one browser', () => {
  it.each([
    ['other fields', {}, { returnTo: '/elsewhere' }],
    ['other cookies', { 'two-factor-device': 'x' }, {}],
  ])('are two: %s', async (_what, cookies, fields) => {
    const { host, ana } = await startLoggedIn()
    await ana.submit('/two-factor/start')
    const page = await ana.open('/two-factor')
    const typed = { ...page.fields, code: host.stub.rightCode }
    const { asked, answer } = hold(host)
    const other = ana.copy()
    for (const [name, value] of Object.entries(cookies)) other.cookies.set(name, value)
    const first = ana.submit('/two-factor/verify', typed)
    await asked
    const second = await other.submit('/two-factor/verify', { ...typed, ...fields })
    answer()
    expect([(await first).status, second.status]).toEqual([303, 409])
    expect(second.headers.getSetCookie()).toEqual([])
  })
})
