import { expect, it } from 'vitest'
import { en } from '../../src/express/pages/messages/en.js'
import { startPasskeyHost } from '../passkeys/kit.js'
import { enter } from './bank-steps.js'
import type { Visitor } from './engines/visitor.js'

/** The journey of a user with a passkey, in the browser that `visitor` drives. */
export function itOffersPasskeys(visitor: () => Visitor): void {
  it('offers a passkey if the browser has them, and sends a text by one press in each', async () => {
    const { host } = await startPasskeyHost({
      mount(app) {
        app.get('/', (_req, res) => void res.type('html').send('<title>Acme</title><h1>Home</h1>'))
        app.get('/enter', (req, res) => {
          req.session.pendingUserId = 'ana'
          res.redirect('/two-factor')
        })
      },
    })
    const ana = visitor()
    // Browsers have passkeys in a secure context only.
    await ana.visit(`${host.url.replace('127.0.0.1', 'localhost')}/enter`)
    expect(await ana.heading()).toBe(en['start.title'])
    // WebKitGTK has no passkeys.
    expect((await ana.text()).includes(en['passkey.use'])).toBe(ana.engine !== 'WebKit')
    await ana.press('Text the number ending in 6 7')
    await enter(ana, host.stub.rightCode)
    expect(await ana.heading()).toBe('Home')
  })
}
