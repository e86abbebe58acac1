import { EventEmitter, once } from 'node:events'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { en } from '../../../src/express/pages/messages/en.js'
import { axeFindings, describeInChromium, pressKey } from '../../browser/chromium.js'
import { describedTransfers, mallory, mum } from '../described-transfers.js'
import type { Host } from '../kit.js'
import { wrongCode } from '../recovery-kit.js'
import {
  ask,
  call,
  enter,
  expectNoDialog,
  json,
  openSinglePage,
  type SinglePage,
  verifyInAnotherTab,
} from './single-page.js'

declare global {
  interface Window {
    ticking: Set<number>
  }
}

/** Holds the intervals that nobody has ended in `ticking`. */
function countTimers(): void {
  const { setInterval: begin, clearInterval: end } = window
  window.ticking = new Set()
  const begun = (id: number) => window.ticking.add(id) && id
  Object.assign(window, {
    setInterval: (run: () => void, ms: number) => begun(begin(run, ms)),
    clearInterval: (id: number) => window.ticking.delete(id) && end(id),
  })
}

const dialogOf = (page: Page) => page.getByRole('dialog')
const again = (page: Page) => dialogOf(page).getByRole('button', { name: 'Send a new code' })

describeInChromium('<two-factor-dialog>', (browser) => {
  /** The dialog of a refused request, with the clock of the browser in hand. */
  async function openDialog(
    given: Parameters<typeof openSinglePage>[1] = {},
    [path, init]: readonly [path: string, init?: RequestInit] = ['/guarded/settings'],
  ) {
    const opened = await openSinglePage(browser(), given)
    const answer = call(opened.page, path, init)
    await dialogOf(opened.page).waitFor()
    return { ...opened, answer }
  }

  const pass = async ({ host, page }: SinglePage, ms: number) => {
    host.clock.now += ms
    await page.clock.runFor(ms)
  }

  function hold(): { readonly released: Promise<unknown>; readonly release: () => void } {
    const told = new EventEmitter()
    return { released: once(told, 'release'), release: () => told.emit('release') }
  }

  /** The provider answers nothing until the returned function is called. */
  function holdSend({ stub }: Host, answerSend: typeof stub.answerSend): () => void {
    const { released, release } = hold()
    stub.answerSend = (request) => released.then(() => answerSend(request))
    return release
  }

  it('shows the problem at the field, focuses it and allows to type again', async () => {
    const { host, page, answer } = await openDialog()
    await enter(page, '000000')
    const alert = dialogOf(page).getByRole('alert')
    expect(await alert.innerText()).toContain('That code is not right')
    const field = dialogOf(page).getByLabel('Security code')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await alert.getByRole('link').click()
    expect(await field.evaluate((input) => input.matches(':focus'))).toBe(true)
    expect(page.url()).toBe(`${host.url}/`)
    await enter(page, host.stub.rightCode)
    expect(await answer).toEqual([200, '{"saved":true}'])
  })

  it('disables the buttons for the wait, announces its end once, then calls', async () => {
    const opened = await openDialog({ clock: true })
    const { host, page } = opened
    expect(await again(page).isDisabled()).toBe(true)
    await pass(opened, 60_000)
    expect(await dialogOf(page).getByRole('status').innerText()).toBe('You can ask for a new code now.')
    await dialogOf(page).getByRole('button', { name: 'Call me instead' }).click()
    await dialogOf(page).getByText('We called').waitFor()
    expect(host.stub.sends.map(({ path }) => path)).toEqual(['/v1/2fa/send-sms', '/v1/call/2fa/send-call'])
    expect(await dialogOf(page).getByRole('definition').innerText()).toBe('Spanish')
  })

  it('announces that the code expired while it is open, and sends a new one', async () => {
    const opened = await openDialog({ clock: true })
    const { host, page, answer } = opened
    await pass(opened, 300_000)
    expect(await dialogOf(page).getByRole('status').innerText()).toContain('This code no longer works.')
    await enter(page, host.stub.rightCode)
    await dialogOf(page).getByText('That code no longer works').waitFor()
    await again(page).click()
    await dialogOf(page).getByLabel('Security code').waitFor()
    await enter(page, host.stub.rightCode)
    expect((await answer)[0]).toBe(200)
  })

  it('shows that a slow code is on its way, and keeps the input', async () => {
    const { host, page } = await openSinglePage(browser())
    const send = holdSend(host, host.stub.answerSend)
    const answer = call(page, '/guarded/settings')
    await dialogOf(page).getByText('A code is on its way to').waitFor()
    expect(await dialogOf(page).locator('[aria-busy]').count()).toBe(0)
    const field = dialogOf(page).getByLabel('Security code')
    await field.fill('4829')
    const started = page.waitForResponse((response) => response.url().endsWith('/two-factor/start'))
    send()
    await (await started).finished()
    expect(await field.inputValue()).toBe('4829')
    await enter(page, host.stub.rightCode)
    expect((await answer)[0]).toBe(200)
  })

  it('shows that a slow code was not sent', async () => {
    const { host, page } = await openSinglePage(browser())
    const refuse = holdSend(host, () => ({ status: 520, json: { error: '1003' } }))
    void call(page, '/guarded/settings')
    await dialogOf(page).getByText('A code is on its way to').waitFor()
    refuse()
    expect(await dialogOf(page).getByRole('alert').innerText()).not.toBe('')
    expect(await dialogOf(page).getByLabel('Security code').count()).toBe(0)
  })

  it.each(['checked', 'sent'])('leaves nothing behind, closed while a code is %s', async (what) => {
    const { host, page, troubles } = await openSinglePage(browser())
    await page.evaluate(countTimers)
    const { released, release } = hold()
    if (what === 'checked') host.whileChecked(() => released)
    else host.stub.answerSend = () => released.then(() => ({ status: 520, json: { error: '1003' } }))
    const answer = call(page, '/guarded/settings')
    await dialogOf(page).getByLabel('Security code').waitFor()
    const underWay = page.waitForRequest(/verify$/)
    if (what === 'checked') await Promise.all([underWay, enter(page, '000000')])
    else underWay.catch(() => undefined)
    await page.keyboard.press('Escape')
    expect((await answer)[0]).toBe('AbortError')
    release()

    // By then what was under way has been answered.
    const second = call(page, '/guarded/settings')
    await dialogOf(page).waitFor()
    await page.keyboard.press('Escape')
    expect((await second)[0]).toBe('AbortError')
    expect(troubles.filter((line) => !line.startsWith('Failed to load resource'))).toEqual([])
    expect(await page.evaluate(() => window.ticking.size)).toBe(0)
  })

  it('ends with the element that an app takes off its page, and asks in another', async () => {
    const { page, answer } = await openDialog()
    const remove = () => page.evaluate(() => document.querySelector('two-factor-dialog')?.remove())
    await remove()
    expect((await answer)[0]).toBe('AbortError')

    const start = /\/two-factor\/start$/
    const { released, release } = hold()
    await page.route(start, (route) => released.then(() => route.continue()))
    const started = page.waitForRequest(start)
    const early = call(page, '/guarded/settings')
    await started
    await remove()
    release()
    expect((await early)[0]).toBe('AbortError')

    void call(page, '/guarded/settings')
    await dialogOf(page).waitFor()
  })

  it('closes when the person leaves its page, so that Back does not show it again', async () => {
    const { page, answer } = await openDialog()
    await page.evaluate("dispatchEvent(new Event('pagehide'))")
    expect((await answer)[0]).toBe('AbortError')
    await expectNoDialog(page)
  })

  it('opens for each of two copies of the script, one over the second', async () => {
    const { page, answer } = await openDialog()
    const other = page.evaluate(
      `import('/two-factor/dialog.js?copy').then(({ fetchWithCode }) => fetchWithCode('/guarded/settings'))
        .catch(({ name }) => name)`,
    )
    await expect.poll(() => page.locator('dialog').count()).toBe(2)
    await page.evaluate(() => {
      const dialogs = document.querySelector('two-factor-dialog')?.shadowRoot?.querySelectorAll('dialog')
      for (const dialog of dialogs ?? []) dialog.close()
    })
    expect([(await answer)[0], await other]).toEqual(['AbortError', 'AbortError'])
  })

  it('goes on when the code was typed in another tab', async () => {
    const { host, page, answer } = await openDialog()
    await verifyInAnotherTab(page, host.stub.rightCode)
    await enter(page, host.stub.rightCode)
    await page.getByRole('dialog', { name: "You're already confirmed" }).waitFor()
    await dialogOf(page).getByRole('link', { name: 'Continue' }).click()
    expect(await answer).toEqual([200, '{"saved":true}'])
    expect(page.url()).toBe(`${host.url}/`)
  })

  it('approves only its displayed action, for any codes requested in the session', async () => {
    const opened = await openDialog({ clock: true, mount: describedTransfers }, ['/pay', json(mum)])
    const { host, page, answer } = opened
    await pass(opened, 60_000)
    const { requirement } = await ask(page, '/pay', json(mallory))
    const { challenge } = await ask(page, '/two-factor/start', json({ requirement }))

    await enter(page, host.stub.rightCode)
    const told = dialogOf(page).getByRole('alert').filter({ hasText: 'Another code was asked for' })
    await told.waitFor()
    expect(await dialogOf(page).getByRole('definition').allInnerTexts()).toEqual(['5', 'Mum'])
    expect(await dialogOf(page).getByLabel('Security code').count()).toBe(0)
    expect(host.stub.checks).toHaveLength(0)
    const { challenge: live } = await ask(page, `/two-factor?requirement=${requirement}`)
    expect(live).toMatchObject({ id: challenge.id, attemptsRemaining: 5 })

    await pass(opened, 120_000)
    await again(page).click()
    // The next send has another code: it has begun once there is a field for it.
    await dialogOf(page).getByLabel('Security code').waitFor()
    await enter(page, host.stub.rightCode)
    expect(await answer).toEqual([200, JSON.stringify({ paid: mum, query: {} })])
    expect((await ask(page, '/pay', json(mallory))).code).toBe('second_factor_required')
  })

  it('shows the end of a lock once, as local time, and offers no button before', async () => {
    const { page, answer } = await openDialog({
      options: { limits: { attemptsPerChallenge: 1 } },
      context: { timezoneId: 'America/Bogota' },
    })
    await enter(page, '000000')
    await page.getByRole('dialog', { name: 'Too many wrong codes were entered' }).waitFor()
    expect(await dialogOf(page).getByRole('alert').innerText()).toBe(
      "You can ask for a new one at 07:05. If it wasn't you, change your password.",
    )
    expect(await dialogOf(page).getByRole('button').allInnerTexts()).toEqual(['Close', '×'])
    await page.keyboard.press('Escape')
    expect((await answer)[0]).toBe('AbortError')
  })

  it('takes a recovery code without leaving the app', async () => {
    const purposes = { login: {}, never: {}, bill: {}, transfer: {}, settings: { recoveryCode: true } }
    const recovery = { purposes, recoveryCodes: { consume: () => true } }
    const { host, page, answer } = await openDialog({ options: recovery })
    await dialogOf(page).getByRole('link', { name: en['recovery.title'] }).click()
    await page.getByRole('dialog', { name: en['recovery.title'] }).waitFor()
    await dialogOf(page).getByRole('textbox').fill(wrongCode())
    await dialogOf(page).getByRole('button', { name: en['code.submit'] }).click()
    expect(await answer).toEqual([200, '{"saved":true}'])
    expect(page.url()).toBe(`${host.url}/`)
  })

  it('leads to another method and back by keyboard only', async () => {
    const phone = ['+573001234567', { phone: '+573007654321', label: 'Office' }]
    const { host, page, answer } = await openDialog({ options: { phone: () => phone } })
    await pressKey(page, en['resend.another'])
    await page.getByRole('dialog', { name: en['start.title'] }).waitFor()
    expect(await axeFindings(page)).toEqual([])
    await pressKey(page, en['link.back'])
    await page.getByRole('dialog', { name: en['code.title'] }).waitFor()
    await pressKey(page, en['resend.another'])
    await pressKey(page, 'Text Office')
    await dialogOf(page).getByText('the number ending in 2 1').waitFor()
    await page.keyboard.type(host.stub.rightCode)
    await page.keyboard.press('Enter')
    expect((await answer)[0]).toBe(200)
    expect(page.url()).toBe(`${host.url}/`)
  })

  it('sends one form at a time: the second click of a double click spends no attempt', async () => {
    const { host, page, answer } = await openDialog()
    await dialogOf(page).getByLabel('Security code').fill('000000')
    await dialogOf(page).getByRole('button', { name: 'Continue' }).dblclick()
    await dialogOf(page).getByRole('alert').filter({ hasText: 'not right' }).waitFor()
    expect(host.stub.checks).toHaveLength(1)
    await enter(page, host.stub.rightCode)
    expect((await answer)[0]).toBe(200)
  })

  it('fills in the code of a message, and leaves it to the person where something has to be read', async () => {
    const { host, page } = await openSinglePage(browser())
    await page.evaluate((code) => {
      Object.defineProperty(navigator, 'credentials', { value: { get: async () => ({ code }) } })
      Object.assign(window, { OTPCredential: Object })
    }, host.stub.rightCode)
    const answer = call(page, '/guarded/settings')
    const field = dialogOf(page).getByLabel('Security code')
    await expect.poll(() => field.inputValue()).toBe(host.stub.rightCode)
    expect(host.stub.checks).toEqual([])
    await dialogOf(page).getByRole('button', { name: 'Continue' }).click()
    expect((await answer)[0]).toBe(200)
  })

  it.each(['fails', 'hangs'])('opens if its style sheet %s, and applies it later', async (how) => {
    const { host, page, troubles } = await openSinglePage(browser())
    const { released, release } = hold()
    await page.route(/page\.css$/, (route) =>
      how === 'fails' ? route.abort() : released.then(() => route.continue()),
    )
    const answer = call(page, '/guarded/settings')
    await dialogOf(page).waitFor()
    release()
    const sheets = () =>
      page.evaluate(() => document.querySelector('two-factor-dialog')?.shadowRoot?.adoptedStyleSheets.length)
    await expect.poll(sheets).toBe(how === 'fails' ? 0 : 1)
    await enter(page, host.stub.rightCode)
    expect((await answer)[0]).toBe(200)
    expect(troubles.filter((line) => !line.startsWith('Failed to load resource'))).toEqual([])
  })

  it('opens in an app that enforces Trusted Types', async () => {
    const { page, host } = await openSinglePage(browser(), {
      directives: { requireTrustedTypesFor: ["'script'"], trustedTypes: ['two-factor-dialog'] },
    })
    const answer = call(page, '/guarded/settings')
    await enter(page, host.stub.rightCode)
    expect((await answer)[0]).toBe(200)
  })
})
