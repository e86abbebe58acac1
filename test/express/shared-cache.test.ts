import session from 'express-session'
import { expect, it } from 'vitest'
import { figure } from '../prove/figure.js'
import type { Answer } from './browser.js'
import { startHost } from './kit.js'

/** Every path of ours, on the routes of a sign-in and of a phone verification. */
const ours = ['/two-factor', '/signup'].flatMap((mount) =>
  ['', '/', '/page.css', '/dialog.js', '/page.js', '/start', '/verify', '/resend', '/cancel'].map(
    (path) => mount + path,
  ),
)

/** Whether a shared cache may keep the response, cookies included, and hand it to the next visitor (RFC 9111). */
const isKept = ({ headers }: Answer) => !/no-store|private/.test(headers.get('cache-control') ?? '')

it('no shared cache passes the session of a visitor on, because our responses are private or not stored', async () => {
  const host = await startHost({
    // The session's cookie goes out with every response.
    addSession: (app) =>
      app.use(session({ secret: 's', resave: true, rolling: true, saveUninitialized: true })),
    mount(app, tf) {
      app.use('/signup', tf.phoneVerification().routes())
      app.get('/news', (_req, res) => void res.send('news'))
    },
  })
  const ana = await host.login()
  const kept = new Set<string>()

  async function visit(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      for (const accept of ['text/html', 'application/json', 'application/json;profile=dialog', '*/*']) {
        const answer = await ana.get(path, { accept })
        if (isKept(answer)) kept.add(path)
      }
    }
  }

  // Without a code the guard refuses this one.
  await visit(['/account', ...ours])
  await ana.submit('/two-factor/start')
  await visit(ours)
  await ana.verify(host.stub.rightCode)
  await visit([...ours, '/news'])
  figure(25, `${kept.size - 1} of ${ours.length} paths of ours that a shared cache may keep`)
  // The host's own response shows that a cookie would be kept where nothing forbids it.
  expect([...kept]).toEqual(['/news'])
})
