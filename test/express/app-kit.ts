import type { TwoFactorOptions } from '../../src/index.js'
import { codeOf, fromBase32 } from '../../src/lib/totp.js'
import { type HostOptions, startHost } from './kit.js'

/** Ana has a number and an app, Ben a number, and Zoe nothing but an app. */
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

/** A host whose subjects may have authenticator apps. */
export async function startAppHost(options: Partial<TwoFactorOptions> = {}, more: HostOptions = {}) {
  const secrets: Record<string, string> = { ana: secret, zoe: secret.toLowerCase() }
  const host = await startHost({
    mount(app, tf) {
      app.get('/vault', tf.requireTwoFactor({ purpose: 'vault', methods: ['app'] }), (req, res) => {
        res.json({ by: req.twoFactor?.grant.method })
      })
      const save: Parameters<typeof tf.authenticators.routes>[0]['save'] = (req, made) => {
        secrets[String(req.session.userId)] = made
      }
      app.use('/app', tf.authenticators.routes({ save, successPath: '/account' }))
    },
    listens: true,
    ...more,
    options: {
      authenticator: { secretOf: async (_req, subject) => secrets[subject], issuer: 'Acme & Sons' },
      ...options,
    },
  })
  /** What an app with this secret shows, so many steps from now. */
  const shows = (away = 0, of = secret) =>
    codeOf(Math.floor(host.clock.now / 30_000) + away, fromBase32(of) ?? Buffer.of())
  return { host, events: host.events, secrets, shows }
}
