/*
 * Every page of the package behind proxies that keep or remove a part of the path: a real nginx, a real Apache and
 * Chromium, all of the system. Prints a table, and exits with 1 where a cell fails.
 * npm run proxies
 */
import { createHmac } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { startSandbox } from '../../dist/tools/sandbox/index.js'
import { createApp } from './app.js'
import { freePort, startApache, startNginx } from './servers.js'

const executablePath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync)

/** How the app is reached: its own settings, and what stands before it. The browser sees everything below `site`. */
const hosts = {
  'nginx keeps the prefix': [{ mount: '/shop' }, '/shop', async (app) => [await startNginx('/shop/', app)]],
  'nginx strips it': [{ prefix: '/shop' }, '/shop', async (app) => [await startNginx('/shop/', `${app}/`)]],
  'Express sub-app': [{ mount: '/shop', isSubApp: true }, '/shop', async () => []],
  Apache: [{ prefix: '/shop' }, '/shop', async (app) => [await startApache('/shop/', `${app}/`)]],
  'two strips': [
    { prefix: '/eu/shop' },
    '/eu/shop',
    async (app) => {
      const inner = await startNginx('/shop/', `${app}/`)
      return [await startNginx('/eu/', `${inner.origin}/`), inner]
    },
  ],
}

/** Each begins signed in, but for the first and the sign-up. */
const journeys = {
  async 'sign-in'(visit) {
    await visit.signIn('/account')
    await visit.expect('/account', 'Signed in.')
  },
  async 'guard with form'(visit) {
    await visit.signIn('/pay')
    await visit.ahead()
    await visit.go('/pay')
    await visit.click('Pay')
    await visit.typeCode()
    await visit.click('Pay now')
    await visit.expect('/pay', 'Paid 5.')
  },
  async 'sign-up'(visit) {
    await visit.go('/signup/phone')
    await visit.page.fill('input[name=phone]', '300 987 6543')
    await visit.submit()
    await visit.typeCode('+573009876543')
    await visit.click('Sign up')
    await visit.expect('/signup', 'Signed up.')
  },
  async 'app page'(visit) {
    await visit.signIn('/account')
    await visit.ahead()
    await visit.go('/app')
    if ((await visit.page.locator('.key').count()) === 0) {
      await visit.submit()
      await visit.typeCode()
    }
    const key = (await visit.page.locator('.key').textContent()).replaceAll(/\s/g, '')
    await visit.page.fill('#code, #pair', await visit.appCode(key))
    await visit.submit()
    await visit.expect('/account', 'Signed in.')
  },
  async 'account pages'(visit) {
    await visit.signIn('/settings')
    await visit.ahead()
    await visit.page.locator('main a[href$="/settings/number"]').first().click()
    await visit.page.fill('input[name=phone]', '300 765 4321')
    await visit.submit()
    await visit.typeCode('+573007654321')
    await visit.page.waitForURL((url) => url.pathname.endsWith('/two-factor'))
    await visit.typeCode()
    await visit.expect('/settings', '21')
  },
  async passkey(visit) {
    await visit.addAuthenticator()
    await visit.go('/settings')
    await visit.click('Sign in')
    await visit.typeCode()
    await visit.expect('/two-factor/passkey', 'Sign in faster next time')
    await visit.ahead()
    await visit.click('Set up a passkey')
    await visit.typeCode()
    await visit.submit()
    await visit.expect('/settings', 'The passkey was added.')
    await visit.page.getByRole('link', { name: 'Continue' }).click()
    await visit.expect('/settings', 'Add a passkey')
    await visit.page.context().clearCookies()
    await visit.ahead()
    await visit.go('/account')
    await visit.click('Sign in')
    // The last code was a text, so a text was sent again.
    await visit.page.getByRole('link', { name: 'Get a code another way' }).click()
    await visit.click('Use a passkey')
    await visit.expect('/account', 'Signed in.')
  },
  async dialog(visit) {
    await visit.signIn('/account')
    await visit.ahead()
    await visit.go('/single')
    const dialog = visit.page.locator('dialog')
    await dialog.waitFor()
    const send = dialog.locator('form button.main')
    if ((await dialog.locator('input[name=code]').count()) === 0) await send.first().click()
    await dialog.locator('input[name=code]').fill(await visit.code())
    await send.first().click()
    await visit.page.locator('#result', { hasText: 'Paid 7.' }).waitFor()
  },
}

async function openVisit(browser, sandbox, origin, site) {
  const context = await browser.newContext({ locale: 'en' })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  let ahead = 0
  let after
  const visit = {
    page,
    go: (path) => page.goto(origin + site + path),
    async ahead() {
      ahead += 5 * 60_000
      await context.request.get(`${origin}${site}/ahead`)
      sandbox.clock.advance(5 * 60_000)
    },
    /** Adds an authenticator to the tab, which takes each user for its owner. */
    async addAuthenticator() {
      const tab = await context.newCDPSession(page)
      await tab.send('WebAuthn.enable')
      const options = { protocol: 'ctap2', transport: 'internal', automaticPresenceSimulation: true }
      const user = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true }
      await tab.send('WebAuthn.addVirtualAuthenticator', { options: { ...options, ...user } })
    },
    click: (name) => page.getByRole('button', { name, exact: true }).click(),
    submit: () => page.locator('main form button.main').first().click(),
    async code(phone = '+573001234567') {
      const message = await sandbox.inbox.waitFor(phone, { after })
      after = message.id
      return message.code
    },
    async typeCode(phone) {
      if ((await page.locator('input[name=code]').count()) === 0) await visit.submit()
      await page.locator('input[name=code]').waitFor()
      await page.fill('input[name=code]', await visit.code(phone))
      await visit.submit()
    },
    async signIn(path) {
      await visit.go(path)
      await visit.click('Sign in')
      await visit.typeCode()
      await page.waitForURL(`${origin}${site}${path}`)
    },
    async appCode(key) {
      const bits = [...key].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter))
      const bytes = bits
        .map((five) => five.toString(2).padStart(5, '0'))
        .join('')
        .match(/.{8}/g)
      const counter = Buffer.alloc(8)
      counter.writeBigUInt64BE(BigInt(Math.floor((Date.now() + ahead) / 30_000)))
      const mac = createHmac('sha1', Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))))
        .update(counter)
        .digest()
      const number = mac.readUInt32BE(mac.at(-1) & 15) & 0x7fffffff
      return String(number % 1_000_000).padStart(6, '0')
    },
    async expect(path, text) {
      await page.waitForURL((url) => url.origin === origin && url.pathname === site + path)
      await page.getByText(text).first().waitFor()
    },
    close: () => context.close(),
  }
  return visit
}

async function tryCell(browser, [settings, site, startProxies], journey) {
  const sandbox = await startSandbox({ port: 0 })
  const port = await freePort()
  const proxies = await startProxies(`http://127.0.0.1:${port}`)
  // Browsers have passkeys in a secure context only.
  const origin = `http://localhost:${proxies[0]?.port ?? port}`
  const { app, close } = createApp(sandbox, { ...settings, origin })
  const server = app.listen(port, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const visit = await openVisit(browser, sandbox, origin, site)
  try {
    await journey(visit)
    return 'ok'
  } catch (error) {
    return `${visit.page.url()}: ${String(error.message).split('\n')[0]}`
  } finally {
    await visit.close()
    for (const proxy of proxies) await proxy.close()
    server.closeAllConnections()
    server.close()
    await close()
    await sandbox.close()
  }
}

const only = process.argv.slice(2)
const isAsked = (name) => only.length === 0 || only.includes(name)
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
const names = Object.keys(journeys)
console.log(`| host | ${names.join(' | ')} |\n|---|${names.map(() => '---|').join('')}`)
let failed = 0
for (const [host, settings] of Object.entries(hosts)) {
  if (!isAsked(host)) continue
  const cells = []
  for (const journey of Object.values(journeys)) {
    const cell = await tryCell(browser, settings, journey)
    if (cell !== 'ok') failed += 1
    cells.push(cell)
  }
  console.log(`| ${host} | ${cells.join(' | ')} |`)
}
await browser.close()
process.exitCode = failed === 0 ? 0 : 1
