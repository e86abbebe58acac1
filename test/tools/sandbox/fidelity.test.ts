import { describe, expect, test } from 'vitest'
import { readUserAgent } from '../../../src/tools/sandbox/clicks.js'
import { startSandbox } from '../../../src/tools/sandbox/index.js'
import { post } from './wire.js'

const account = { client: '100200', key: 'sandbox-key' }
const fields = { ...account, phone: '573001234567', sms: 'Hello' }

describe('a body that is no form', () => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  const sendJson = (baseUrl: string) =>
    fetch(`${baseUrl}/send-sms`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(fields),
    })

  test('is refused by the specification, with the reason', async () => {
    await using sandbox = await startSandbox()
    const json = await sendJson(sandbox.baseUrl)
    expect([json.status, await json.json()]).toEqual([
      520,
      { error: '1000', msg: 'The body is application/json; it must be application/x-www-form-urlencoded.' },
    ])
    const multipart = await fetch(`${sandbox.baseUrl}/send-sms`, { method: 'POST', body: form })
    expect(await multipart.json()).toMatchObject({ msg: expect.stringContaining('multipart/form-data') })
    const bytes = await fetch(`${sandbox.baseUrl}/send-sms`, { method: 'POST', body: new Uint8Array([1]) })
    expect(await bytes.json()).toMatchObject({
      msg: expect.stringMatching(/^The body is of no content type; /),
    })
    expect(sandbox.inbox.list()).toEqual([])
  })

  test('is accepted in the field when it is multipart', async () => {
    await using sandbox = await startSandbox({ dialect: 'observed' })
    expect((await fetch(`${sandbox.baseUrl}/send-sms`, { method: 'POST', body: form })).status).toBe(200)
    expect(sandbox.inbox.list()).toMatchObject([{ text: 'Hello' }])
    expect((await sendJson(sandbox.baseUrl)).status).toBe(400)
    const broken = await fetch(`${sandbox.baseUrl}/send-sms`, {
      method: 'POST',
      headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
      body: '--y',
    })
    expect(await broken.json()).toMatchObject({
      error: 1000,
      msg: 'The body is not valid multipart/form-data.',
    })
  })
})

test('a country code completes a national number, and the code verifies under either spelling', async () => {
  await using sandbox = await startSandbox()
  const send = { phone: '3001234567', 'app-name': 'Acme', 'country-code': 'CO' }
  const sent = await post(`${sandbox.baseUrl}/2fa/send-sms`, send)
  expect(sent.body.data).toMatchObject([{ phone: '573001234567' }])
  const { code } = await sandbox.inbox.waitFor('+573001234567')
  const check = { phone: '573001234567', 'app-name': 'Acme', code }
  expect((await post(`${sandbox.baseUrl}/2fa/verification-code`, check)).status).toBe(200)
  // A number that is whole stays as it is.
  const whole = { phone: '+573001234567', sms: 'Hello', 'country-code': 'co' }
  expect((await post(`${sandbox.baseUrl}/send-sms`, whole)).body.data).toMatchObject([
    { phone: '+573001234567' },
  ])
})

test.each([
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15',
    'desktop Apple Macintosh Mac OS Safari',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0 Safari/537.36 Edg/124.0',
    'desktop - - Windows Edge',
  ],
  [
    'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UD1A.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0 Mobile Safari/537.36',
    'mobile Google Pixel 8 Android Chrome',
  ],
  ['Mozilla/5.0 (X11; CrOS x86_64) Version/9 Safari/537.36', 'desktop - - Chromium OS Safari'],
  ['Mozilla/5.0 (Android 11; Mobile; rv:109.0) Firefox/118.0', 'mobile - - Android Firefox'],
  ['iPad; CPU OS 17_4) Version/17.4 Mobile/15E148 Safari/604.1', 'tablet Apple iPad iOS Mobile Safari'],
  [
    'Linux; Android 13; SM-X700) SamsungBrowser/24.0 Chrome/9',
    'tablet Samsung SM-X700 Android Samsung Internet',
  ],
  ['Linux; Android 8.0; ANE-LX1) Mobile OPR/60.0', 'mobile Huawei ANE-LX1 Android Opera'],
  ['Linux; Android 10; K) Chrome/9 Mobile', 'mobile - - Android Chrome'],
  ['Linux; Android 12; M2101K6G) Chrome/9', 'tablet Xiaomi M2101K6G Android Chrome'],
  ['Linux; Android 12; moto g(30)) Chrome/9', 'tablet Motorola moto g(30 Android Chrome'],
  ['(X11; Linux x86_64)', 'desktop - - Linux -'],
  ['', '- - - - -'],
])('a click with the user agent %j is %s', (header, expected) => {
  const {
    device = '-',
    brand = '-',
    model = '-',
    operatingSystem = '-',
    browser = '-',
  } = readUserAgent(header)
  expect(`${device} ${brand} ${model} ${operatingSystem} ${browser}`).toBe(expected)
})
