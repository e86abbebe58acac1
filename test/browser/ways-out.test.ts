import type { Express } from 'express'
import type { BrowserContext, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { Texts } from '../../src/express/pages/messages/en.js'
import { createTexts } from '../../src/express/pages/messages/locales.js'
import type { TwoFactor } from '../../src/index.js'
import { type Host, startHost } from '../express/kit.js'
import { describeInChromium } from './chromium.js'

const minute = 60_000

function mount(app: Express, tf: TwoFactor): void {
  app.get('/enter/:user', (req, res) => {
    req.session.pendingUserId = req.params.user
    res.redirect('/account')
  })
  app.use('/signup', tf.phoneVerification({ successPath: '/welcome' }).routes())
}

const phone = { width: 390, height: 844 }
const desktop = { width: 1280, height: 800 }
/** How every state looks is asked in pages.test.ts, by itself. */
const journeys = [
  { locale: 'en', size: 'phone', viewport: phone, scripts: true },
  { locale: 'es', size: 'desktop', viewport: desktop, scripts: false },
] as const
const locales = createTexts({})

describeInChromium('ways out of every state', (browser) => {
  it.each(journeys)(
    'lead on in $locale, on a $size, with scripts: $scripts',
    async ({ locale, viewport, scripts }) => {
      const texts = locales.get(locale) as Texts
      const host = await startHost({
        mount,
        options: {
          limits: { failuresBeforeLock: 2, lockMs: 15 * minute },
          pages: { links: { home: '/left' } },
        },
      })
      const open = () =>
        browser().newContext({
          locale,
          viewport,
          javaScriptEnabled: scripts,
          timezoneId: 'America/Bogota',
          baseURL: host.url,
        })
      const walks = [signIn, lock, signUp] as const
      for (const walk of walks) {
        const context = await open()
        await walk(host, context, tools(texts, scripts))
        await context.close()
      }
    },
  )
})

type Tools = ReturnType<typeof tools>

function tools(texts: Texts, scripts: boolean) {
  const press = (page: Page, key: keyof Texts) =>
    page.getByRole('button', { name: texts[key], exact: true }).click()
  return {
    texts,
    scripts,
    press,
    async enter(page: Page, code: string): Promise<void> {
      await page.getByLabel(texts['code.label']).fill(code)
      await press(page, 'code.submit')
    },
    /** The state that the page is in. */
    async sees(page: Page, title: keyof Texts, problem?: keyof Texts): Promise<void> {
      await page.getByRole('heading', { level: 1, name: texts[title], exact: true }).waitFor()
      if (problem !== undefined) expect(await page.getByRole('alert').innerText()).toContain(texts[problem])
    },
  }
}

/** A wrong code and its reload, a code that runs out, and a second tab. */
async function signIn(
  host: Host,
  context: BrowserContext,
  { scripts, press, enter, sees }: Tools,
): Promise<void> {
  const page = await context.newPage()
  await page.goto('/enter/ana')
  await sees(page, 'start.title')
  await press(page, 'start.sms')
  await sees(page, 'code.title')
  const codePage = page.url()

  await enter(page, '000000')
  await sees(page, 'code.title', 'problem.code_not_accepted.title')
  await page.reload()
  // With scripts the page has an address of its own; without, the browser posts the form again.
  await sees(page, 'code.title', scripts ? undefined : 'problem.code_not_accepted.title')
  expect(new URL(page.url()).pathname.endsWith('/verify')).toBe(!scripts)
  expect(host.stub.checks).toHaveLength(1)

  host.clock.now += 5 * minute
  await page.goto(codePage)
  await sees(page, 'start.title', 'problem.challenge_gone.title')
  await press(page, 'resend.sms')
  await sees(page, 'code.title')
  expect(host.stub.sends).toHaveLength(2)

  const second = await context.newPage()
  await second.goto(page.url())
  await enter(page, host.stub.rightCode)
  await page.waitForURL('**/account')
  await enter(second, host.stub.rightCode)
  await sees(second, 'done.title')
  await second.getByRole('link').click()
  await second.waitForURL('**/account')
}

/** One wait, in the person's own time where scripts run, and nothing to press before it. */
async function lock(
  host: Host,
  context: BrowserContext,
  { texts, scripts, press, enter, sees }: Tools,
): Promise<void> {
  const page = await context.newPage()
  await page.goto('/enter/ben')
  await press(page, 'start.sms')
  await enter(page, '000000')
  await enter(page, '000001')
  const end = new Date(host.clock.now + 15 * minute)
  const time = new Intl.DateTimeFormat(texts.lang, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(scripts ? { timeZone: 'America/Bogota' } : { timeZone: 'UTC', timeZoneName: 'short' }),
  }).format(end)
  for (const path of [undefined, '/two-factor', '/account']) {
    if (path !== undefined) await page.goto(path)
    await sees(page, 'problem.phone_locked.title')
    expect(await page.locator('time').allInnerTexts()).toEqual([time])
    expect(await page.locator('a:visible, button:visible').allInnerTexts()).toEqual([texts['cancel.submit']])
  }
  await press(page, 'cancel.submit')
  await page.waitForURL('**/left')
}

/** The number that was typed, another one, and a browser that blocks cookies. */
async function signUp(
  host: Host,
  context: BrowserContext,
  { texts, press, enter, sees }: Tools,
): Promise<void> {
  const page = await context.newPage()
  const number = page.getByLabel(texts['phone.label'])
  await page.goto('/signup')
  await sees(page, 'phone.title')
  await page.getByLabel(texts['phone.country']).selectOption('MX')
  await number.fill('55 1234 5678')
  await press(page, 'start.sms')
  await sees(page, 'code.title')
  expect(await page.locator('.number').innerText()).toBe('55 1234 5678')
  await press(page, 'phone.change')
  await sees(page, 'phone.title')
  expect(await number.inputValue()).toBe('55 1234 5678')
  expect(await page.getByLabel(texts['phone.country']).inputValue()).toBe('MX')
  await page.getByLabel(texts['phone.country']).selectOption('CO')
  await number.fill('300 765 4321')
  await press(page, 'start.sms')
  await enter(page, host.stub.rightCode)
  await page.waitForURL('**/welcome')

  const sent = host.stub.sends.length
  await context.clearCookies()
  await page.goto('/signup')
  await context.clearCookies()
  await number.fill('300 765 4321')
  await press(page, 'start.sms')
  await sees(page, 'problem.session_unavailable.title', 'problem.session_unavailable.text')
  expect(host.stub.sends).toHaveLength(sent)
}
