import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { expect, it } from 'vitest'
import { describeInChromium } from '../../browser/chromium.js'
import { startHost, usualRoutes } from '../kit.js'

const path = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url))

/** The example as a bundler makes it. */
async function bundled(): Promise<string> {
  const { output } = await build({
    input: path('examples/react.tsx'),
    write: false,
    resolve: { alias: { 'express-two-factor/browser': path('src/browser/index.ts') } },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  })
  return output[0].code
}

it('examples/react.tsx has 25 lines', () => {
  expect(readFileSync(path('examples/react.tsx'), 'utf8').trimEnd().split('\n')).toHaveLength(25)
})

describeInChromium('examples/react', (browser) => {
  it('asks for the code in a form of the app, says when one was not right, and transfers once', async () => {
    const script = await bundled()
    const { stub, url, login } = await startHost({
      routes(app, tf) {
        app.get('/', (_req, res) =>
          res.send('<html lang="en"><script type="module" src="/react.js"></script>'),
        )
        app.get('/react.js', (_req, res) => res.type('js').send(script))
        usualRoutes(app, tf)
      },
    })
    const { cookies } = await login()
    const page = await browser().newPage()
    await page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url })))
    await page.goto(url)
    await page.getByRole('button', { name: 'Transfer' }).click()
    const field = page.getByLabel('The code that we sent to ••••••67')
    await field.fill('000000')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('That code is not right.').waitFor()
    await field.fill(stub.rightCode)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('{"sent":"100","by":"code"}').waitFor()
    expect(await field.count()).toBe(0)
    expect(stub.sends).toHaveLength(1)
    await page.close()
  })
})
