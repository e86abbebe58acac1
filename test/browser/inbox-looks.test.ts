import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/tools/sandbox/index.js'
import { post } from '../tools/sandbox/wire.js'
import { axeFindings, describeInChromium } from './chromium.js'

const screenshots = fileURLToPath(new URL('../../screenshots/', import.meta.url))

const [used, expired, blocked, rejected] = ['573001234501', '573001234502', '573001234503', '573001999901']
const phones = [used, expired, blocked, rejected, '573007654321']
const states = ['Live', 'Used', 'Replaced', 'Expired', 'Blocked', 'Not delivered']

/** Ten messages with a code in every state; before them texts until there are enough. */
async function fill(sandbox: Sandbox, count: number): Promise<void> {
  const send = (path: string, fields: Record<string, string>) => post(`${sandbox.baseUrl}${path}`, fields)
  const code = (phone: string) => send('/2fa/send-sms', { phone, 'app-name': 'Acme' })
  if (count === 1) await code(used)
  if (count < 20) return

  for (let list = 0; list < (count - 10) / phones.length; list += 1) {
    await send('/send-sms', {
      phone: phones.join(),
      sms: 'Your order 4711 is on its way. Track it in the app.',
    })
  }
  for (const phone of phones) await code(phone)
  await send('/block-phone', { phone: blocked, name: 'Ana' })
  await send('/send-sms', { phone: blocked, sms: 'Your code is 482913' })
  for (const phone of phones.filter((one) => one !== blocked)) await code(phone)
  await send('/url/short', { name: 'spring', 'url-long': sandbox.inboxUrl })
  sandbox.faults.add({ kind: 'slow', operation: 'balance', times: Number.POSITIVE_INFINITY })
  const newest = await sandbox.inbox.waitFor(used)
  await send('/2fa/verification-code', { phone: used, 'app-name': 'Acme', code: newest.code })
  sandbox.clock.advance(300_000, expired)
  sandbox.clock.advance(2_000, rejected)
}

describeInChromium('the inbox page', (browser) => {
  test.each(['cards', 'compact'])('with text of double size is as wide as a phone: %s', async (view) => {
    await using sandbox = await startSandbox()
    await fill(sandbox, 20)
    const page = await browser().newPage({ viewport: { width: 375, height: 812 } })
    await page.goto(`${sandbox.inboxUrl}?view=${view}`)
    await page.getByRole('heading', { name: '20 messages', exact: true }).waitFor()
    await page.evaluate("document.documentElement.style.fontSize = '200%'")
    for (const details of await page.locator('details').all()) {
      await details.evaluate('(element) => { element.open = true }')
    }
    const wide = `[...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > 376 && one.checkVisibility()).map(({ localName, className, textContent }) => [localName, className, textContent.trim().slice(0, 40)].join(' | '))`
    expect([await page.evaluate('document.documentElement.scrollWidth'), await page.evaluate(wide)]).toEqual([
      375,
      [],
    ])
    await page.close()
  })

  test.each([0, 1, 20, 1_000])(
    'with %i messages is as wide as its window and clean for axe, at full and half width',
    async (count) => {
      await using sandbox = await startSandbox()
      await fill(sandbox, count)
      const page = await browser().newPage()
      const heading = `${count.toLocaleString('en')} ${count === 1 ? 'message' : 'messages'}`
      mkdirSync(screenshots, { recursive: true })
      const views = count < 20 ? ['cards'] : ['cards', 'compact']
      for (const view of views) {
        await page.goto(`${sandbox.inboxUrl}?view=${view}`)
        await page.getByRole('heading', { name: heading, exact: true }).waitFor()
        expect(await page.locator('.card').count(), view).toBe(Math.min(count, 50))
        const chips = await page.locator('.card .chip').allInnerTexts()
        const shown = states.filter((state) => chips.some((chip) => chip.startsWith(state)))
        if (count >= 20) expect(shown, view).toEqual(states)
        const inDetail = page.locator('.card details').first()
        if (view === 'cards' && count > 0) await inDetail.evaluate('(element) => { element.open = true }')
        // Colours are the same at any width, and so is the markup.
        const narrowest = count === 20 ? 320 : 640
        for (const width of new Set([1_280, 640, narrowest])) {
          for (const colorScheme of ['light', 'dark'] as const) {
            if (colorScheme === 'dark' && (count !== 20 || width !== 640)) continue
            const what = `inbox-${count}-${view}-${width}-${colorScheme}`
            await page.emulateMedia({ colorScheme })
            await page.setViewportSize({ width, height: 900 })
            // On a phone the newest code comes first.
            const top = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? 0
            if (width === 320) expect(await top('.messages'), what).toBeLessThan(await top('.tools'))
            // The markup of a card is the same of any number of them.
            if (count <= 20 && (width === narrowest || colorScheme === 'dark'))
              expect(
                await axeFindings(page, colorScheme === 'dark' ? 'color-contrast' : undefined),
                what,
              ).toEqual([])
            expect(await page.evaluate('document.documentElement.scrollWidth'), what).toBe(width)
            await page.screenshot({ path: `${screenshots}${what}.png`, fullPage: count === 20 })
          }
        }
      }
      await page.close()
    },
  )
})
