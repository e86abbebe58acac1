import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { signupAt, startHost } from '../express/kit.js'
import { press, problem } from './bank.js'
import { describeInChromium } from './chromium.js'

describeInChromium('a sign-up in two countries', (browser) => {
  const open = async (locale: string) => {
    const host = await startHost({ mount: signupAt('/signup'), options: { countries: ['CO', 'US'] } })
    const page = await browser().newPage({ locale })
    await page.goto(`${host.url}/signup`)
    return { page, sends: host.stub.sends }
  }
  /** Without the marks that hold its sign in place. */
  const chosen = async (page: Page) =>
    (await page.locator('#country option:checked').innerText()).replaceAll(/\p{Cf}/gu, '')

  it('takes the number for one of the country of the browser, and shows where the code went', async () => {
    const { page, sends } = await open('en-US')
    expect(await chosen(page)).toBe('United States (+1)')
    await page.getByLabel('Mobile number').fill('(310) 765-4321')
    await press(page, 'Send a code')
    expect(await page.getByText('We sent a code').innerText()).toContain('+1 310 765 4321')
    expect(sends.map(({ form }) => form.phone)).toEqual(['13107654321'])
    await page.close()
  })

  it('asks about one that fits the other country, and sends nothing before', async () => {
    const { page, sends } = await open('es-CO')
    expect(await chosen(page)).toBe('Colombia (+57)')
    await page.getByLabel('Número de celular').fill('(212) 555-0123')
    await press(page, 'Enviar código')
    expect(await problem(page)).toContain('Revisa el país')
    expect(await chosen(page)).toBe('Estados Unidos (+1)')
    expect(await page.locator(':focus').getAttribute('id')).toBe('country')
    expect(sends).toEqual([])
    await press(page, 'Enviar código')
    expect(sends.map(({ form }) => form.phone)).toEqual(['12125550123'])
    await page.close()
  })
})
