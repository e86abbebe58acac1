import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInChromium } from './chromium.js'
import { type States, serveStates } from './states.js'

describeInChromium('the pages', (browser) => {
  let server: States
  // One for many tests: to open another takes longer than most of them.
  let page: Page
  beforeAll(async () => {
    server = await serveStates()
    page = await browser().newPage()
    // Stands still until a test moves it, however long the page takes to open.
    await page.clock.install()
    await page.clock.pauseAt(Date.now() + 60_000)
  })
  afterAll(async () => {
    await page.close()
    await server.close()
  })

  const open = (state: string) => page.goto(server.urlOf('en', state))

  it('count down the wait with buttons of fixed width and announce its end once', async () => {
    await open('code')
    const again = page.getByRole('button', { name: 'Send a new code' })
    const spoken = page.getByRole('status')
    await page.clock.runFor(18_000)
    expect(await page.locator('[data-clock][aria-hidden]').textContent()).toBe('0:42')
    expect(await again.isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Call me instead' }).isDisabled()).toBe(true)
    expect(await spoken.textContent()).toBe('')
    await page.clock.runFor(42_000)
    expect(await again.isEnabled()).toBe(true)
    expect(await spoken.textContent()).toBe('You can ask for a new code now.')
    expect(await page.locator('p[data-wait-ms]').isVisible()).toBe(false)
  })

  it('count the time that a phone has slept', async () => {
    const page = await browser().newPage()
    // Its clock of the tab stands still.
    await page.addInitScript(
      'performance.now = () => 0; const real = Date.now; Date.now = () => real() + (window.slept ?? 0)',
    )
    await page.goto(server.urlOf('en', 'code'))
    const again = page.getByRole('button', { name: 'Send a new code' })
    expect(await again.isDisabled()).toBe(true)
    await page.evaluate("window.slept = 180_000; document.dispatchEvent(new Event('visibilitychange'))")
    expect(await again.isEnabled()).toBe(true)
    expect(await page.getByRole('status').textContent()).toBe('You can ask for a new code now.')
    await page.close()
  })

  it('announce that a code expired while they are open', async () => {
    await open('code')
    const sentence = page.getByText('We sent a code to')
    const spoken = page.getByRole('status')
    await page.clock.runFor(10 * 60_000 - 1_000)
    expect([await sentence.isVisible(), await spoken.textContent()]).toEqual([
      true,
      'You can ask for a new code now.',
    ])
    await page.clock.runFor(2_000)
    expect(await sentence.isVisible()).toBe(false)
    expect(await spoken.innerText()).toBe('This code no longer works. Ask for a new one.')
    expect((await spoken.boundingBox())?.height).toBeGreaterThan(10)
  })

  it('show the way on from a lock when the wait is over', async () => {
    await open('locked')
    const again = page.getByRole('link', { name: 'Try again' })
    await page.clock.runFor(14 * 60_000)
    expect(await again.isVisible()).toBe(false)
    await page.clock.runFor(61_000)
    expect(await again.isVisible()).toBe(true)
  })

  it('ignore a second click for a second, and until the page is shown again', async () => {
    await open('code')
    // An event that no button made sends nothing, but tells whether the form would have been sent.
    const isSent = (form: number) =>
      page.evaluate(
        `document.forms[${form}].dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))`,
      )
    expect([await isSent(0), await isSent(0), await isSent(1)]).toEqual([true, false, false])
    await page.clock.runFor(1_000)
    expect(await page.locator('[aria-busy]').innerText()).toBe('Checking…')
    await page.keyboard.press('Escape')
    expect(await page.locator('[aria-busy]').count()).toBe(0)
    expect([await isSent(1), await isSent(1)]).toEqual([true, false])
    await page.evaluate("dispatchEvent(new Event('pageshow'))")
    expect(await isSent(0)).toBe(true)
  })

  it('leave the wait to the server when there is no script', async () => {
    const page = await browser().newPage({ javaScriptEnabled: false })
    await page.goto(server.urlOf('en', 'code'))
    expect(await page.locator('p[data-wait-ms]').innerText()).toBe('You can ask for another in 1 minute.')
    expect(await page.getByRole('button', { name: 'Send a new code' }).isEnabled()).toBe(true)
    await page.close()
  })

  it.each([true, false])(
    'put the focus where the person goes on, with a script: %s',
    async (javaScriptEnabled) => {
      const page = await browser().newPage({ javaScriptEnabled })
      const focused = async (state: string) => {
        await page.goto(server.urlOf('en', state))
        return page.locator(':focus').getAttribute('id')
      }
      expect(await focused('code')).toBe('code')
      expect(await focused('phone')).toBe('phone')
      expect(await focused('second wrong code')).toBe('code')
      expect(await focused('unchecked')).toBe('problem')
      await page.close()
    },
  )

  /** A page that keeps the codes that it would send. */
  const openWatched = async (state: string) => {
    const page = await browser().newPage()
    await page.addInitScript(() => {
      const sent: (string | undefined)[] = []
      addEventListener('submit', (event) => {
        event.preventDefault()
        sent.push(document.querySelector<HTMLInputElement>('#code')?.value)
      })
      // The message comes when the test says so.
      const message = new Promise((resolve) => Object.assign(window, { receive: resolve }))
      Object.defineProperty(navigator, 'credentials', { value: { get: () => message } })
      Object.assign(window, { OTPCredential: Object, sent })
    })
    await page.goto(server.urlOf('en', state))
    return page
  }

  it('submit a full code automatically only if the device fills it in', async () => {
    const page = await openWatched('code, all options')
    const field = page.locator('#code')
    const input = async (value: string, inputType: string) => {
      await field.fill('')
      await field.evaluate(
        (element, [code, how]) => {
          Object.assign(element, { value: code })
          element.dispatchEvent(new InputEvent('input', { inputType: `${how}`, bubbles: true }))
        },
        [value, inputType],
      )
    }
    await field.pressSequentially('111111')
    await input('222222', 'insertFromPaste')
    await input('33333', 'insertReplacementText')
    await input('444444', 'insertReplacementText')
    expect(await page.evaluate('sent')).toEqual(['444444'])
    await page.close()
  })

  it.each([
    ['send it where nothing has to be read first', 'code', ['123456']],
    ['leave it to the person where something has', 'code for what is shown', []],
  ])('fill in the code of a message, and %s', async (_what, state, sent) => {
    const page = await openWatched(state)
    await page.evaluate("receive({ code: '123456' })")
    await expect.poll(() => page.locator('#code').inputValue()).toBe('123456')
    expect(await page.evaluate('sent')).toEqual(sent)
    await page.close()
  })
})
