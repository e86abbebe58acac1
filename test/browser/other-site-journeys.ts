import express from 'express'
import { it, onTestFinished } from 'vitest'
import { asAna, startHost } from '../express/kit.js'
import { listening } from '../listening.js'
import { withoutScripts } from './bank.js'
import { enter } from './bank-steps.js'
import type { Visitor } from './engines/visitor.js'

/** Another site, whose pages show where they are. */
async function startOtherSite(): Promise<string> {
  const { origin, close } = await listening(
    (req, res) => {
      res.setHeader('Content-Type', 'text/html').end(`<title>Other</title><h1>Arrived at ${req.url}</h1>`)
    },
    'localhost',
    'https',
  )
  onTestFinished(close)
  return origin
}

/** An app that continues on the other site after each form, and whose links lead there. */
async function startApp(other: string) {
  return startHost({
    options: { pages: { links: { signIn: `${other}/sign-in`, home: `${other}/home` } } },
    routes(app, tf) {
      const to = (path: string) => (_req: unknown, res: express.Response) => res.redirect(other + path)
      app.use('/two-factor', tf.routes({ successPath: '/after-sign-in' }))
      app.get('/login', (_req, res) => void res.send('<form method="post"><button>Sign in</button></form>'))
      app.post('/login', asAna, tf.start({ purpose: 'login' }))
      app.get('/after-sign-in', tf.requireTwoFactor(), to('/signed-in'))
      app.get('/invoices', tf.requireTwoFactor({ purpose: 'invoices', once: true }), to('/invoices'))
      app.get('/pay', (_req, res) => {
        res.send('<form method="post"><input name="amount" value="5"><button>Pay</button></form>')
      })
      const bind = (req: express.Request) => ({ amount: req.body.amount })
      const confirmed = tf.requireTwoFactor({
        purpose: 'pay',
        once: true,
        resume: true,
        formPath: '/pay',
        bind,
      })
      app.post('/pay', express.urlencoded({ extended: false }), confirmed, to('/paid'))
    },
  })
}

/** The journeys of a user whose app continues on another site, in the browser that `visitor` drives. */
export function itContinuesElsewhere(visitor: () => Visitor): void {
  it.each([
    ['with scripts', true],
    ['without scripts', false],
  ])('arrives at another site after each form, by Cancel and by a link, %s', async (_, scripts) => {
    const other = await startOtherSite()
    const host = await startApp(other)
    const { origin, close } = await listening(scripts ? host.app : withoutScripts(host.app))
    onTestFinished(close)
    const ana = visitor()
    const giveCode = () => enter(ana, host.stub.rightCode)
    const giveNoCode = async () => {
      host.clock.now += 301_000
      await ana.visit(`${origin}/invoices`)
      await ana.press('Send a code')
    }

    await ana.visit(`${origin}/two-factor`)
    await ana.press('Sign in')
    await ana.see('Arrived at /sign-in')
    await ana.visit(`${origin}/login`)
    await ana.press('Sign in')
    await ana.press('Cancel')
    await ana.see('Arrived at /sign-in')
    host.clock.now += 301_000
    await ana.visit(`${origin}/login`)
    await ana.press('Sign in')
    await giveCode()
    await ana.see('Arrived at /signed-in')

    await giveNoCode()
    await ana.press('Cancel')
    await ana.see('Arrived at /home')
    await giveNoCode()
    await giveCode()
    await ana.see('Arrived at /invoices')

    host.clock.now += 301_000
    await ana.visit(`${origin}/pay`)
    await ana.press('Pay')
    await giveCode()
    await ana.press('Continue')
    await ana.see('Arrived at /paid')
  })
}
