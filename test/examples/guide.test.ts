import { rmSync, writeFileSync } from 'node:fs'
import { startSandbox } from 'express-two-factor/sandbox'
import { expect, it, onTestFinished } from 'vitest'
import { codeOf, fromBase32 } from '../../src/lib/totp.js'
import { path, read } from '../documents.js'
import { Browser } from '../express/browser.js'
import { freePort } from '../free-port.js'
import { observe } from '../tools/cli/program.js'

const phone = '+573001234567'

/** The code blocks of a document that follow a mark, in their order. */
const blocks = (document: string, mark: string) =>
  [...read(document).matchAll(new RegExp(`<!-- ${mark} -->\n\`\`\`js\n(.*?)\`\`\``, 'gs'))].map(
    ([, code = '']) => code,
  )

/** The first app of the README with what the guide adds: its options to those of the app, all else before it listens. */
function program(): string {
  const [firstApp = ''] = blocks('README.md', 'quick start')
  const options = blocks('docs/guide.md', 'guide: options')
    .map((call) => /^ {2}\.\.\.options,\n(.*)^\}\)$/ms.exec(call)?.[1] ?? '')
    .join('')
  return firstApp
    .replace(/^ {2}appName: .*\n/m, options)
    .replace(/^(?=app\.listen)/m, blocks('docs/guide.md', 'guide').join('\n'))
}

/** The app as a reader has it at the end of the guide, on a sandbox of its own. */
async function startGuide() {
  const sandbox = await startSandbox()
  const port = String(await freePort())
  const file = path('build/guide.mjs')
  writeFileSync(file, program().replace('http://127.0.0.1:4010/v1', sandbox.baseUrl).replaceAll('3000', port))
  const app = observe(process.execPath, [file], {})
  onTestFinished(async () => {
    app.interrupt()
    await app.exitCode
    await sandbox.close()
    rmSync(file)
    expect(app.err()).not.toContain('[TWO_FACTOR_')
  })
  await app.saying(/localhost:\d+/)
  return {
    browser: () => new Browser(`http://localhost:${port}`),
    codeFor: async (number: string) => (await sandbox.inbox.waitFor(number)).code ?? '',
  }
}

it('the guide builds one app: sign-in, step-up, logout, account pages for recovery codes, devices and an app', async () => {
  const { browser, codeFor } = await startGuide()
  const visit = browser()
  const givesPassword = (to: Browser, name = 'ana') => to.post('/login', { name, password: 'sesame' })
  await givesPassword(visit)
  expect((await visit.get('/account')).status).toBe(403)
  const offersRecovery = async (to: Browser) => /recovery code/i.test((await to.open('/two-factor')).text)
  expect(await offersRecovery(visit)).toBe(false)
  const trusting = { code: await codeFor(phone), trustDevice: true }
  expect((await visit.post('/two-factor/verify', trusting)).json).toMatchObject({ verified: true })
  expect((await visit.get('/account')).text).toBe('Signed in as ana.')

  // Step-up: for this amount to this payee, once.
  const transfer = { amount: '5', payee: 'Luis' }
  const page = await visit.submit('/transfer', transfer)
  expect([page.status, page.text.includes('Luis')]).toEqual([403, true])
  const confirmed = await visit.submit('/two-factor/verify', { ...page.fields, code: await codeFor(phone) })
  expect(confirmed.status).toBe(303)
  // Asked for as JSON, a refusal sends no code.
  const sends = (form: typeof transfer) => visit.submit('/transfer', form, { accept: 'application/json' })
  expect((await sends({ ...transfer, amount: '9999' })).status).toBe(403)
  expect((await sends(transfer)).text).toBe('5 went to Luis.')
  expect((await sends(transfer)).status).toBe(403)

  const settings = (path = '') => `/account/security${path}`
  /** A change in the account settings, which a code to the phone has to confirm. */
  const withCode = async (ask: () => ReturnType<Browser['get']>) => {
    const { requirement } = (await ask()).json
    await visit.post('/two-factor/start', { requirement })
    await visit.post('/two-factor/verify', { code: await codeFor(phone) })
    return (await ask()).json
  }

  // Recovery codes: each opens one sign-in, in place of a code.
  const { codes } = await withCode(() => visit.post(settings('/recovery-codes')))
  expect(codes).toHaveLength(10)
  const withoutPhone = browser()
  await givesPassword(withoutPhone)
  expect(await offersRecovery(withoutPhone)).toBe(true)
  const recovered = () =>
    withoutPhone.post('/two-factor/verify', { recoveryCode: codes[0], purpose: 'login' })
  expect((await recovered()).json).toMatchObject({ verified: true })
  expect((await withoutPhone.get('/account')).text).toBe('Signed in as ana.')

  // A trusted device signs in without a code, until its trust is ended.
  const { devices, numbers } = (await visit.get(settings())).json
  expect(numbers).toMatchObject([{ masked: expect.stringContaining('67') }])
  expect(devices).toMatchObject([{ label: 'My browser', isThis: true }])
  expect((await visit.post('/logout')).location).toBe('/login')
  expect((await visit.get('/account')).status).toBe(401)
  expect((await givesPassword(visit)).json).toMatchObject({ verified: true })
  await withCode(() => visit.post(settings('/devices/end'), { device: devices[0].id }))
  expect((await visit.get(settings())).json.devices).toEqual([])

  // An app: shown after a fresh code, and the first way from then on.
  const { secret } = await withCode(() => visit.get(settings('/app')))
  const shown = codeOf(Math.floor(Date.now() / 30_000), fromBase32(secret) ?? Buffer.alloc(0))
  expect((await visit.post(settings('/app'), { code: shown })).json).toMatchObject({ changed: 'app-added' })
  await visit.post('/logout')
  expect((await givesPassword(visit)).json.challenge.channel).toBe('app')
})

it('the guide signs up a person with a verified number, under a free name', async () => {
  const { browser, codeFor } = await startGuide()
  const visit = browser()
  const account = { name: 'luis', password: 'sesame' }
  expect((await visit.submit('/signup', account)).status).toBe(403)
  await visit.post('/signup/phone/start', { phone: '+573007654321' })
  await visit.post('/signup/phone/verify', { code: await codeFor('+573007654321') })
  expect((await visit.submit('/signup', { ...account, name: 'ana' })).status).toBe(422)
  expect((await visit.submit('/signup', account)).location).toBe('/login')
  await visit.post('/login', account)
  await visit.post('/two-factor/verify', { code: await codeFor('+573007654321') })
  expect((await visit.get('/account')).text).toBe('Signed in as luis.')
})
