import { expect, it } from 'vitest'
import { describeInChromium } from '../browser/chromium.js'
import { run } from './running.js'

describeInChromium('the browser helper of examples/step-up', (browser) => {
  it('asks for the code, says why one was not right, and repeats the request once', async () => {
    const { origin, codeFor } = await run('step-up')
    const page = await browser().newPage()
    const asked: string[] = []
    page.on('dialog', async (dialog) => {
      asked.push(dialog.message())
      const code = await codeFor('+573001234567')
      const wrong = code.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
      await dialog.accept(asked.length === 1 ? wrong : code)
    })
    await page.goto(origin)
    await page.getByRole('button').click()
    await page.getByText('"transferred":100').waitFor({ timeout: 5_000 })
    expect(asked).toHaveLength(2)
    expect(asked[0]).toContain('••••••67')
    expect(asked[1]).toContain('not right')
    await page.close()
  })

  it('gives the refusal back when the person gives up', async () => {
    const { origin } = await run('step-up')
    const page = await browser().newPage()
    page.on('dialog', (dialog) => dialog.dismiss())
    await page.goto(origin)
    await page.getByRole('button').click()
    await page.getByText('second_factor_required').waitFor({ timeout: 5_000 })
    await page.close()
  })
})
