import { type IncomingHttpHeaders, request } from 'node:http'
import session from 'express-session'
import { expect, it, onTestFinished } from 'vitest'
import { listening } from '../listening.js'
import { figure } from '../prove/figure.js'
import { Browser } from './browser.js'
import { startHost } from './kit.js'

interface Stored {
  readonly asked: IncomingHttpHeaders
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Statuses that a cache may keep without being told how long (RFC 9110, 15.1). */
const heuristic = new Set([200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])

/**
 * A shared cache that keeps whatever RFC 9111 lets it keep, cookies included, as Apache's mod_cache does: by
 * max-age, and where nothing is said by its own judgement.
 */
async function startCache(origin: string): Promise<{ url: string; kept: Map<string, Stored[]> }> {
  const kept = new Map<string, Stored[]>()
  const fits = ({ asked, headers }: Stored, now: IncomingHttpHeaders) =>
    (headers.vary?.split(/, */) ?? []).every((name) => asked[name.toLowerCase()] === now[name.toLowerCase()])

  function mayKeep(method: string, asked: IncomingHttpHeaders, { status, headers }: Stored): boolean {
    const control = headers['cache-control'] ?? ''
    if (method !== 'GET' || /no-store|private|no-cache/.test(control) || headers.vary === '*') return false
    if (asked.authorization !== undefined && !/public|s-maxage/.test(control)) return false
    return /max-age=[1-9]/.test(control) || (control === '' && heuristic.has(status))
  }

  const { origin: url, close } = await listening((req, res) => {
    const { method = 'GET', url = '/', headers: asked } = req
    const answer = ({ status, headers, body }: Stored) => res.writeHead(status, headers).end(body)
    const found = method === 'GET' && kept.get(url)?.find((stored) => fits(stored, asked))
    if (found) {
      answer(found)
      return
    }
    req.pipe(
      request(origin + url, { method, headers: asked }, async (from) => {
        const body = Buffer.concat(await from.toArray())
        const { 'transfer-encoding': _chunked, ...headers } = from.headers
        const fresh = { asked, status: from.statusCode ?? 502, headers, body }
        if (mayKeep(method, asked, fresh)) kept.set(url, [...(kept.get(url) ?? []), fresh])
        answer(fresh)
      }),
    )
  })
  onTestFinished(close)
  return { url, kept }
}

/** Every path of ours, on the routes of a sign-in and of a phone verification. */
const ours = ['/two-factor', '/signup'].flatMap((mount) =>
  ['', '/', '/page.css', '/dialog.js', '/page.js', '/start', '/verify', '/resend', '/cancel'].map(
    (path) => mount + path,
  ),
)
/** Of the host: one says that it may be kept, one says nothing. */
const hosts = ['/logo', '/news']

it('no shared cache hands the session of one visitor to another: all that is ours is private or not kept', async () => {
  const host = await startHost({
    // The session's cookie goes out with every response.
    addSession: (app) =>
      app.use(session({ secret: 's', resave: true, rolling: true, saveUninitialized: true })),
    mount(app, tf) {
      app.use('/signup', tf.phoneVerification().routes())
      app.get('/logo', (_req, res) => void res.set('Cache-Control', 'public, max-age=60').send('logo'))
      app.get('/news', (_req, res) => void res.send('news'))
    },
  })
  const cache = await startCache(host.url)
  const ana = new Browser(cache.url)
  const anasCookies = new Set<string>()

  /** Opens each path in each form. Returns where a cookie of Ana's came with the response. */
  async function visit(browser: Browser, asked: readonly string[]): Promise<Set<string>> {
    const found = new Set<string>()
    for (const path of asked) {
      for (const accept of ['text/html', 'application/json', 'application/json;profile=dialog', '*/*']) {
        const { headers } = await browser.get(path, { accept })
        for (const cookie of headers.getSetCookie()) {
          if (browser === ana) anasCookies.add(cookie)
          else if (anasCookies.has(cookie)) found.add(path)
        }
      }
    }
    return found
  }

  await ana.post('/login', { user: 'ana' })
  // Without a code the guard refuses this one.
  await visit(ana, ['/account', ...ours])
  const form = (await ana.open('/two-factor')).fields
  await ana.submit('/two-factor/start', form)
  await visit(ana, ours)
  await ana.verify(host.stub.rightCode)
  await visit(ana, [...ours, ...hosts])

  // The host's own responses show that the cache does keep what it may, with the cookie.
  const leaked = await visit(new Browser(cache.url), ['/account', ...ours, ...hosts])
  figure(
    25,
    `${[...leaked].filter((path) => !hosts.includes(path)).length} cookies of others from ${ours.length} paths`,
  )
  expect(leaked).toEqual(new Set(hosts))
  expect([...cache.kept.keys()]).toEqual(hosts)
})
