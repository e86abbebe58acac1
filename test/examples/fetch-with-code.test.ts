import { expect, it } from 'vitest'
import { describeInChromium } from '../browser/chromium.js'
import { run } from './running.js'

describeInChromium('the page of examples/step-up', (browser) => {
  it('requires the code in a dialog, shows a wrong one, and transfers once', async () => {
    const { origin, codeFor } = await run('step-up')
    const page = await browser().newPage()
    await page.goto(origin)
    await page.getByRole('button').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('••••••67').waitFor()
    const code = await codeFor('+573001234567')
    const type = async (typed: string) => {
      await dialog.getByLabel('Security code').fill(typed)
      await dialog.getByRole('button', { name: 'Continue' }).click()
    }
    await type(code.replace(/.$/, (last) => (last === '0' ? '1' : '0')))
    await dialog.getByText('That code is not right').waitFor()
    await type(code)
    await page.getByText('{"transferred":100,"to":"Luis"}').waitFor()
    expect(await dialog.count()).toBe(0)
    await page.close()
  })
})
