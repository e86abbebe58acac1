import express from 'express'
import { expect, it } from 'vitest'
import { asAna, ok, startHost } from '../express/kit.js'
import { describeInChromium } from './chromium.js'

/** A form whose field `payee` lacks its name, in front of a guard that binds it. */
const startForm = () =>
  startHost({
    routes(app, tf) {
      app.use('/two-factor', tf.routes())
      app.get('/form', (_req, res) => {
        res.send('<form method="post" action="/pay"><input name="amount"><button>Pay</button></form>')
      })
      const guard = tf.requireTwoFactor({ purpose: 'pay', bind: ({ body }) => ({ payee: body.payee }) })
      app.post('/pay', asAna, express.urlencoded({ extended: false }), guard, ok)
    },
  })

describeInChromium('the page of a refused form', (browser) => {
  for (const javaScriptEnabled of [true, false]) {
    it(`leads back to the form, ${javaScriptEnabled ? 'as the user left it' : 'without scripts'}`, async () => {
      const host = await startForm()
      const page = await browser().newPage({ javaScriptEnabled, locale: 'en-US' })
      await page.goto(`${host.url}/form?for=ben`)
      await page.fill('[name=amount]', '80')
      await page.click('button')
      expect(await page.textContent('h1')).toBe("That didn't work")
      await page.click('main a')
      await page.waitForSelector('[name=amount]')
      expect(page.url()).toBe(`${host.url}/form?for=ben`)
      expect(await page.inputValue('[name=amount]')).toBe(javaScriptEnabled ? '80' : '')
      await page.close()
    })
  }
})
