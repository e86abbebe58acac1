import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/tools/sandbox/index.js'
import { post } from '../tools/sandbox/wire.js'
import { describeInChromium, tabTo } from './chromium.js'

describeInChromium('the inbox page', (browser) => {
  let sandbox: Sandbox
  // One for all tests: to open another takes as long as most of them. Each sandbox is another origin to it.
  let page: Page
  let troubles: string[]

  const text = (phone: string) => post(`${sandbox.baseUrl}/2fa/send-sms`, { phone, 'app-name': 'Acme' })
  const call = (phone: string) =>
    post(`${sandbox.baseUrl}/call/2fa/send-call`, { phone, 'app-name': 'Acme', voice: 'Mia', retries: '1' })
  const balance = () =>
    fetch(`${sandbox.baseUrl}/balance?client=100200&key=sandbox-key`, { signal: AbortSignal.timeout(2_000) })
  const cards = () => page.locator('.card')
  beforeEach(async () => {
    sandbox = await startSandbox()
    page ??= await browser().newPage()
    troubles = []
    page.on('console', (message) => troubles.push(message.text()))
    page.on('pageerror', (error) => troubles.push(error.message))
    await page.goto(sandbox.inboxUrl)
  })
  afterEach(async () => {
    page.removeAllListeners()
    await page.goto('about:blank')
    await sandbox.close()
    expect(troubles).toEqual([])
  })
  afterAll(() => page.close())

  test('a text and a call arrive without a reload, newest first', async () => {
    await page.evaluate('window.untouched = true')
    await text('573001234567')
    await page.getByRole('heading', { name: 'Text to +573001234567' }).waitFor()
    await call('573007654321')
    await page.getByRole('heading', { name: 'Call to +573007654321' }).waitFor()
    expect(await cards().locator('h3').allInnerTexts()).toEqual([
      'Call to +573007654321',
      'Text to +573001234567',
    ])
    expect(await page.evaluate('window.untouched')).toBe(true)
    expect(await page.getByRole('status').innerText()).toBe('Call to +573007654321')
  })

  test('the code is copied with one click', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await text('573001234567')
    const { code } = await sandbox.inbox.waitFor('573001234567')
    await page.getByRole('button', { name: `Copy the code ${code}` }).click()
    await cards().getByText('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code)
    // As on a page of another machine without TLS.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await page.getByRole('button', { name: `Copy the code ${code}` }).click()
    await cards().getByText('Not allowed').waitFor()
  })

  test('one message and all of them are deleted by keyboard, and the focus stays in the list', async () => {
    for (const phone of ['573001111111', '573002222222', '573003333333']) await text(phone)
    await page.getByRole('heading', { name: '3 messages' }).waitFor()
    await tabTo(page, 'Delete this text to +573002222222')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: '2 messages' }).waitFor()
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Delete this text to +573001111111')
    expect(sandbox.inbox.list().map(({ phone }) => phone)).toEqual(['+573003333333', '+573001111111'])

    await page.getByRole('button', { name: 'Delete all' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Nothing has arrived yet.').waitFor()
    expect(sandbox.inbox.list()).toEqual([])
    expect(await page.locator(':focus').getAttribute('id')).toBe('messages')
  })

  test('a fault is switched on and off by keyboard, and strikes', async () => {
    await tabTo(page, 'None is on. Add a fault')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Operation')
    await page.keyboard.type('balance')
    await tabTo(page, 'Kind')
    await page.keyboard.type('html')
    await tabTo(page, 'Switch on')
    await page.keyboard.press('Enter')
    await page.getByText('html on balance, 1 left').waitFor()
    expect((await balance()).status).toBe(520)
    await page.getByText('None is on.').waitFor()

    sandbox.faults.add({ kind: 'hang', times: Number.POSITIVE_INFINITY })
    await page.getByText('hang on any, always').waitFor()
    await tabTo(page, 'Switch off hang on any')
    await page.keyboard.press('Enter')
    await page.getByText('None is on.').waitFor()
    expect((await balance()).status).toBe(200)
  })

  test('markup in a message is shown as text', async () => {
    const attack = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
    await post(`${sandbox.baseUrl}/send-sms`, { phone: '573001234567', sms: attack })
    await cards().locator('.bubble').getByText(attack).waitFor()
    expect(await page.title()).toBe('Sandbox inbox')
    expect(await page.locator('main img').count()).toBe(0)
  })

  test('the forms work without JavaScript', async () => {
    const plain = await browser().newPage({ javaScriptEnabled: false })
    await text('573001234567')
    await text('573007654321')
    await plain.goto(sandbox.inboxUrl)
    await plain.getByLabel('Search').fill('57300765')
    await plain.getByRole('button', { name: 'Search' }).click()
    await plain.getByRole('button', { name: 'Delete these' }).click()
    await plain.getByText('Nothing was found.').waitFor()
    expect(sandbox.inbox.list().map(({ phone }) => phone)).toEqual(['+573001234567'])
    expect(new URL(plain.url()).search).toBe('?q=57300765')
    await plain.close()
  })

  test('only a live code can be copied, and an ended code shows the reason', async () => {
    const chips = () => cards().locator('.code-row .chip').allInnerTexts()
    const copies = () => cards().locator('.copy').filter({ visible: true }).count()
    await post(`${sandbox.baseUrl}/send-sms`, { phone: '573001999901', sms: 'Your code is 482913' })
    sandbox.clock.advance(2_000)
    await text('573001234567')
    await text('573001234567')
    await text('573007654321')
    const { code } = await sandbox.inbox.waitFor('573007654321')
    const typed = { 'app-name': 'Acme', phone: '573007654321', code }
    await post(`${sandbox.baseUrl}/2fa/verification-code`, typed)
    await page.getByRole('heading', { name: '4 messages' }).waitFor()
    const live = expect.stringMatching(/^Live [45]:\d\d left$/)
    await expect.poll(chips).toEqual(['Used', live, 'Replaced', 'Not delivered'])
    expect(await copies()).toBe(1)
    sandbox.clock.advance(300_000)
    await cards().getByText('Expired').waitFor()
    expect(await copies()).toBe(0)
  })

  test('a refused form shows the reason visibly', async () => {
    await page.getByText('Add a fault').click()
    await page.getByLabel('Kind').selectOption('hang')
    await page.getByLabel('Status', { exact: true }).fill('503')
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByRole('alert').getByText('hang: unknown member "status"').waitFor()
    expect(await page.getByRole('alert').isVisible()).toBe(true)
    await page.getByLabel('Kind').selectOption('status')
    await page.getByLabel('Number').fill('+57 300 123 4567')
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByText('status on any for +57 300 123 4567, 1 left').waitFor()
    expect(await page.getByRole('alert').isVisible()).toBe(false)
    expect(sandbox.faults.list()).toMatchObject([
      { fault: { kind: 'status', status: 503, phone: '+57 300 123 4567' } },
    ])
    // The browser itself reports the refusal.
    expect(troubles.every((line) => line.includes('400'))).toBe(true)
    troubles = []
  })
})
