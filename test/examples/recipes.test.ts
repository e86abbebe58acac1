import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type Answer, Browser } from '../express/browser.js'
import { freePort } from '../free-port.js'
import { observe } from '../tools/cli/program.js'
import { type Running, run } from './running.js'

const phone = '+573001234567'

/** By forms, with a wrong code first. Returns where success led. */
async function enterCode(codeFor: Running['codeFor'], visit: Browser): Promise<string> {
  const wrong = await visit.submit('/two-factor/verify', { code: '000000' })
  expect(wrong.status).toBe(422)
  const form = { code: await codeFor(phone), returnTo: '/account' }
  const right = await visit.submit('/two-factor/verify', form)
  expect(right.status).toBe(303)
  return right.location
}

const status = async (answer: Promise<Answer>) => (await answer).status

// Once on Express 4 where the session is of a library that knows its lines; the examples themselves are the same.
const signingIn = [
  ['passport', 4],
  ['passport', 5],
  ['iron-session', 5],
  ['cookie-session', 5],
  ['nestjs', 5],
  ['fastify', 5],
] as const

describe.each(signingIn)('examples/%s on Express %i', (example, line) => {
  it('signs in and out, and refuses the cookie from before the code', async () => {
    const app = await run(example, { express: line })
    const visit = new Browser(app.origin)
    expect(await status(visit.get('/account'))).toBe(401)
    expect(await status(visit.post('/login', { name: 'ana', password: 'guess' }))).toBe(401)
    expect(await status(visit.get('/account'))).toBe(401)
    const login = { name: 'ana', password: 'sesame', returnTo: '/account' }
    expect(await status(visit.submit('/login', login))).toBe(303)
    expect(await status(visit.get('/account'))).toBe(403)
    const planted = visit.copy()
    expect(await enterCode(app.codeFor, visit)).toBe('/account')
    expect((await visit.get('/account')).text).toBe('Signed in as ana.')
    expect(await status(planted.get('/account'))).toBeGreaterThanOrEqual(401)
    if (['iron-session', 'nestjs', 'fastify'].includes(example)) return
    const copied = visit.copy()
    expect(await status(visit.post('/logout'))).toBe(302)
    expect(await status(visit.get('/account'))).toBe(401)
    expect(await status(copied.get('/account'))).toBeGreaterThanOrEqual(401)
  })
})

it('examples/optional asks for a code only once a number is proven', async () => {
  const { origin, codeFor } = await run('optional')
  const visit = new Browser(origin)
  const login = { name: 'ana', password: 'sesame' }
  expect(await status(visit.post('/security/phone/start', { phone }))).toBe(401)
  expect((await visit.post('/login', login)).location).toBe('/account')
  expect((await visit.get('/account')).text).toBe('Signed in as ana.')
  expect(await status(visit.post('/security/on'))).toBe(403)

  expect(await status(visit.post('/security/phone/start', { phone }))).toBe(201)
  expect(await status(visit.post('/security/phone/verify', { code: await codeFor(phone) }))).toBe(200)
  expect((await visit.post('/security/on')).location).toBe('/account')
  expect(await status(visit.get('/account'))).toBe(403)

  const other = new Browser(origin)
  expect(await status(other.post('/login', login))).toBe(201)
  expect(await status(other.get('/account'))).toBe(403)
  await other.post('/two-factor/verify', { code: await codeFor(phone) })
  expect(await status(other.get('/account'))).toBe(200)
  expect(await status(other.post('/security/off'))).toBe(403)
})

it.each([4, 5] as const)(
  'examples/openid-connect on Express %i asks for a code after the identity provider',
  async (line) => {
    const port = await freePort()
    const issuer = await startIdentityProvider(`http://localhost:${port}`)
    const env = { ISSUER_BASE_URL: issuer, CLIENT_ID: 'acme', CLIENT_SECRET: 'known to the test' }
    const app = await run('openid-connect', { express: line, env: { ...env, PORT: String(port) } })
    const visit = new Browser(app.origin)
    expect(await status(visit.get('/account'))).toBe(401)
    await signInAt(issuer, app.origin, visit)

    expect(await status(visit.get('/account'))).toBe(403)
    const planted = visit.copy()
    await visit.post('/two-factor/start', {})
    expect(await enterCode(app.codeFor, visit)).toBe('/account')
    expect((await visit.get('/account')).text).toBe('Signed in as ana.')
    expect(await status(planted.get('/account'))).toBe(403)
    expect((await visit.post('/keys')).json.code).toBe('second_factor_required')
  },
)

/** The way of a browser through the identity provider, from the login of the app back to it. */
async function signInAt(issuer: string, origin: string, app: Browser): Promise<void> {
  const provider = new Browser(issuer)
  let url = (await app.get('/login')).location
  for (let steps = 0; steps < 12 && url.startsWith(issuer); steps += 1) {
    const { pathname, search } = new URL(url)
    const page = await provider.get(pathname + search)
    const action = /action="([^"]+)"/.exec(page.text)?.[1]
    const prompt = /name="prompt" value="(\w+)"/.exec(page.text)?.[1] ?? ''
    const form = { prompt, login: 'ana', password: 'any' }
    const next =
      page.location === '' && action ? await provider.submit(new URL(action, issuer).pathname, form) : page
    url = new URL(next.location, issuer).href
  }
  expect(url).toContain(`${origin}/callback?code=`)
  expect((await app.get(url.slice(origin.length))).status).toBe(302)
}

async function startIdentityProvider(appOrigin: string): Promise<string> {
  const script = fileURLToPath(new URL('identity-provider.js', import.meta.url))
  const child = observe(process.execPath, [script, appOrigin], {})
  await child.saying(/http:\S+\n/)
  return /http:\S+/.exec(child.out())?.[0] ?? ''
}
