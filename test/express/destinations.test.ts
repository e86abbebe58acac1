import { describe, expect, it, vi } from 'vitest'
import type { TwoFactorOptions } from '../../src/index.js'
import { startAppHost } from './app-kit.js'

const [mobile, office, landline] = ['+573001234567', '+573007654321', '+573009876599']
const numbers = [
  mobile,
  { phone: office, label: 'Office & home' },
  { phone: landline, methods: ['call'] },
] as const

async function startWithNumbers(options: Partial<TwoFactorOptions> = {}) {
  const started = await startAppHost({ phone: () => numbers, ...options })
  const ana = await started.host.login()
  type Listed = { id: string; method: string; masked: string; label?: string; isCurrent: boolean }
  const listed = async (): Promise<Listed[]> => (await ana.get('/two-factor')).json.destinations
  const to = async (masked: string, method = 'sms') =>
    (await listed()).find((one) => one.masked.endsWith(masked) && one.method === method)?.id
  const start = async (masked: string, method?: string) =>
    ana.post('/two-factor/start', { destination: await to(masked, method) })
  return { ...started, ana, listed, to, start }
}

describe('several destinations of one person', () => {
  it('are listed masked, in the order of methods and numbers, and each can be chosen by its id', async () => {
    const { host, ana, listed, start } = await startWithNumbers()
    const shown = (await listed()).map(({ method, masked, label }) => [method, masked, label])
    expect(shown).toEqual([
      ['app', '', undefined],
      ['sms', '••••••67', undefined],
      ['sms', '••••••21', 'Office & home'],
      ['call', '••••••67', undefined],
      ['call', '••••••21', 'Office & home'],
      ['call', '••••••99', undefined],
    ])
    expect(JSON.stringify(await listed())).not.toMatch(/57300/)
    const called = await start('99', 'call')
    expect(called.json.challenge).toMatchObject({
      channel: 'call',
      destination: '••••••99',
      channels: ['call'],
    })
    expect((await listed()).filter(({ isCurrent }) => isCurrent).map(({ masked }) => masked)).toEqual([
      '••••••99',
    ])
    expect(host.stub.sends.map(({ form }) => `+${form.phone}`)).toEqual([landline])
    expect((await ana.post('/two-factor/resend', { channel: 'sms' })).status).not.toBe(200)
    expect((await ana.post('/two-factor/verify', { code: host.stub.rightCode })).status).toBe(200)
    expect(host.stub.checks.map(({ form }) => `+${form.phone}`)).toEqual([landline])
  })

  it('are listed with the refusal of a guard, as far as it takes them', async () => {
    const phone = vi.fn(() => numbers)
    const { host, ana, start } = await startWithNumbers({ phone })
    await start('67')
    await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    phone.mockClear()
    const byApp = (await ana.get('/vault')).json.destinations
    expect(phone).toHaveBeenCalledTimes(1)
    expect(byApp.map(({ method }: { method: string }) => method)).toEqual(['app'])
    const any = (await ana.post('/transfers', { amount: 1, payee: 'a' })).json
    expect(any.destinations).toHaveLength(6)
    const { id } = any.destinations[2]
    host.clock.now += 60_000
    const started = await ana.post('/two-factor/start', { requirement: any.requirement, destination: id })
    expect(started.json.challenge).toMatchObject({ destination: '••••••21', purpose: 'transfer' })
  })

  it('share their attempts: one challenge is live, and what was tried elsewhere counts', async () => {
    const { host, ana, start } = await startWithNumbers()
    const first = (await start('67')).json.challenge
    expect((await ana.post('/two-factor/verify', { code: 'wrong1' })).json.attemptsRemaining).toBe(4)
    // The cooldown is the number's own.
    const second = (await start('21')).json.challenge
    expect([second.destination, second.attemptsRemaining]).toEqual(['••••••21', 4])
    const stale = await ana.post('/two-factor/verify', { code: host.stub.rightCode, challenge: first.id })
    expect([stale.status, stale.json.code]).toEqual([409, 'challenge_superseded'])
    for (const [index, left] of [3, 2, 1, 0].entries()) {
      const code = `wrong${index + 2}`
      expect((await ana.post('/two-factor/verify', { code })).json.attemptsRemaining).toBe(left)
    }
    expect((await start('67')).json.code).toBe('attempts_exhausted')
    expect((await start('99', 'call')).json.code).toBe('attempts_exhausted')
    expect(host.stub.checks).toHaveLength(5)
    expect((await ana.post('/two-factor/verify', { code: 'wrong7' })).json.code).toBe('attempts_exhausted')
    expect(await host.tf.subjects.state('ana')).toMatchObject({ judged: 5 })
  })

  it('are gone back to by another code, once the cooldown of the number is over', async () => {
    const { host, ana, start } = await startWithNumbers()
    await start('67')
    await start('21')
    expect((await ana.post('/two-factor/verify', { code: 'wrong1' })).json.attemptsRemaining).toBe(4)
    expect((await start('67')).json.code).toBe('resend_too_soon')
    // The one that lives is not lost by it.
    expect((await ana.get('/two-factor')).json.challenge.destination).toBe('••••••21')
    host.clock.now += 60_000
    expect((await start('67')).json.challenge.attemptsRemaining).toBe(4)
    expect((await ana.post('/two-factor/verify', { code: host.stub.rightCode })).status).toBe(200)
    expect(host.stub.sends).toHaveLength(3)
  })

  it('come in their order but for the one that last worked, in any browser', async () => {
    const { host, ana, listed, start } = await startWithNumbers()
    const first = async () => (await listed()).map(({ method, masked }) => method + masked.slice(-2))[0]
    expect(await first()).toBe('app')
    await start('21')
    await ana.post('/two-factor/verify', { code: 'wrong1' })
    expect(await first()).toBe('app')
    await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    expect([await first(), (await listed()).length]).toEqual(['sms21', 6])
    host.clock.now += 60_000
    // By default the code comes by it, too, in another browser as well.
    const other = await host.login()
    expect((await other.post('/two-factor/start', {})).json.challenge.destination).toBe('••••••21')
    host.clock.now += 31 * 24 * 3_600_000
    expect(await first()).toBe('app')
  })

  it('share what may be sent in an hour', async () => {
    const { host, start } = await startWithNumbers()
    const told: unknown[] = []
    for (let turn = 0; turn < 8; turn += 1) {
      const answer = await start(turn % 2 === 0 ? '67' : '21')
      told.push(answer.json.code ?? answer.status)
      host.clock.now += 300_000
    }
    expect(host.stub.sends).toHaveLength(5)
    expect(told.slice(5)).toEqual(['send_limit', 'send_limit', 'send_limit'])
  })

  it('have ids for one subject in one session, and for the list as it is', async () => {
    const { host, ana, to } = await startWithNumbers({
      phone: (_req, subject) => (subject === 'ben' ? [office] : numbers),
    })
    const id = await to('21')
    const strange = await Promise.all([host.login(), host.login('ben')])
    for (const browser of strange) {
      const refused = await browser.post('/two-factor/start', { destination: id })
      expect([refused.status, refused.json.code]).toEqual([400, 'invalid_request'])
    }
    const other = await startAppHost({ phone: () => numbers, namespace: 'other' })
    expect((await (await other.host.login()).post('/two-factor/start', { destination: id })).status).toBe(400)
    expect((await ana.post('/two-factor/start', { destination: 'sms' })).status).toBe(400)
    expect(host.stub.sends).toEqual([])
  })

  it('end with the list: a challenge at a number that is gone is gone, and so is its id', async () => {
    let onFile: readonly string[] = [mobile, office]
    const { host, shows, ana, to, start } = await startWithNumbers({ phone: () => onFile })
    const id = await to('21')
    await start('21')
    const typed = async (code: string) => (await ana.post('/two-factor/verify', { code })).json.code
    onFile = [mobile]
    expect((await ana.post('/two-factor/start', { destination: id })).status).toBe(400)
    expect(await typed(host.stub.rightCode)).toBe('challenge_gone')
    // The app is left, whose code would be a grant by text message.
    onFile = []
    expect(await typed(shows())).toBe('challenge_gone')
    expect(host.stub.checks).toEqual([])
  })

  it.each([
    ['too short', '+57 30'],
    ['of another country', '+34600123456'],
  ])('leave the others working when one gets no code, because it is %s', async (_why, other) => {
    const { listed, start } = await startWithNumbers({
      phone: () => [mobile, other],
      channels: ['sms', 'app'],
    })
    expect((await listed()).map(({ masked }) => masked)).toEqual(['••••••67', ''])
    expect((await start('67')).status).toBe(201)
  })

  it.each([[[]], [undefined]])('need be none where there is an app: %j', async (onFile) => {
    const { listed } = await startWithNumbers({ phone: () => onFile, channels: ['sms', 'app'] })
    expect((await listed()).map(({ method }) => method)).toEqual(['app'])
  })

  it.each([
    [[], 409, undefined],
    [
      Array(6).fill(mobile),
      500,
      /^phone returned 6 numbers; it must return a string, a list of up to 5, or undefined$/,
    ],
    [[mobile, 5], 500, /^phone: number 2 must be a string, or \{ phone, methods, label \}/],
    [[{ phone: mobile, methods: ['fax'] }], 500, /^phone: number 1 must be/],
  ])('have to be numbers: %j', async (onFile, status, message) => {
    const { host } = await startAppHost({ phone: () => onFile })
    const ben = await host.login('ben')
    const answer = await ben.post('/two-factor/start')
    expect(answer.status).toBe(status)
    if (message) expect(answer.json.host).toMatch(message)
    else expect(answer.json.code).toBe('no_phone')
    expect(host.stub.sends).toEqual([])
  })

  it('are chosen anew once the code of one has run out: its button names none of the others', async () => {
    const { host, ana, start } = await startWithNumbers()
    await start('21')
    const code = await ana.open('/two-factor')
    host.clock.now += 601_000
    const { text, fields } = await ana.submit('/two-factor/resend', { ...code.fields, channel: 'sms' })
    expect(host.stub.sends).toHaveLength(1)
    expect(text).toContain('That code no longer works')
    expect(labelsOf(text)).toContain('Send a new code: Office &amp; home')
    const [, destination] = /value="([\w-]{43})"[^>]*>Send a new code: <bdi>Office/.exec(text) ?? []
    await ana.submit('/two-factor/start', { ...fields, destination: destination ?? '' })
    expect(host.stub.sends.map(({ form }) => `+${form.phone}`)).toEqual([office, office])
  })

  it('are chosen on a page that the code page leads to, and back from', async () => {
    const links = { otherMethod: '/passkey' }
    const recoveryCodes = { consume: () => true }
    const { host, ana } = await startWithNumbers({ pages: { links }, recoveryCodes })
    const { text: first, fields } = await ana.open('/two-factor')
    expect(labelsOf(first)).toEqual([
      'Use the app',
      'Send a code: the number ending in 67',
      'Send a code: Office &amp; home',
      'Call me with a code: the number ending in 67',
      'Call me with a code: Office &amp; home',
      'Call me with a code: the number ending in 99',
    ])
    const idOf = (page: string, label: string) =>
      new RegExp(`name="destination" value="([\\w-]{43})"[^>]*>${label}<`).exec(
        page.replaceAll(/<\/?bdi>/g, ''),
      )?.[1] ?? ''
    const choose = (page: string, label: string, more = {}) =>
      ana.submit('/two-factor/start', { ...fields, destination: idOf(page, label), ...more })
    expect((await choose(first, 'Send a code: the number ending in 67')).status).toBe(303)
    const code = (await ana.open('/two-factor')).text
    expect(labelsOf(code)).toEqual(['Send a new code', 'Call me instead'])
    expect(linksOf(code)).toEqual([['/two-factor?purpose=login&amp;method=any', 'Get a code another way']])

    const another = (await ana.open('/two-factor?purpose=login&method=any')).text
    expect(labelsOf(another)).toEqual(labelsOf(first))
    expect(linksOf(another)).toEqual([
      ['/two-factor?purpose=login&amp;method=recovery-code', 'Use a recovery code'],
      ['/passkey', 'Confirm in another way'],
      ['/two-factor?purpose=login', 'Go back'],
    ])
    expect(another).toContain('name="method" value="any"')
    expect((await choose(another, 'Send a code: Office &amp; home')).status).toBe(303)
    expect(host.stub.sends.map(({ form }) => `+${form.phone}`)).toEqual([mobile, office])
    // The page again, and not that of the code, where one is refused.
    host.clock.now += 30_000
    await ana.post('/two-factor/cancel', {})
    const refused = await choose(another, 'Send a code: Office &amp; home', { method: 'any' })
    expect([refused.status, labelsOf(refused.text)]).toEqual([429, labelsOf(first)])
  })

  it('are offered as far as guard, purpose and the host take them', async () => {
    const { host, ana } = await startWithNumbers({
      purposes: { login: {}, transfer: { channels: ['sms'] }, vault: {} },
      appName: { login: 'Acme', transfer: 'Acme transfer', signup: 'Acme signup' },
      recoveryCodes: { consume: () => true },
      beforeSend: async (_req, { purpose }) => purpose !== 'transfer',
    })
    await host.confirm(ana, { channel: 'call' })
    host.clock.now += 120_000
    const { requirement } = (await ana.post('/transfers', { amount: 1, payee: 'a' })).json
    const page = await ana.open(`/two-factor?requirement=${requirement}`)
    expect(labelsOf(page.text)).toEqual([
      'Send a code: the number ending in 67',
      'Send a code: Office &amp; home',
    ])
    // A step-up takes no recovery code.
    expect(page.text).not.toContain('recovery')
    const [, destination = ''] = /name="destination" value="([\w-]{43})"/.exec(page.text) ?? []
    const refused = await ana.submit('/two-factor/start', { requirement, destination })
    expect(refused.text).toContain('We can&#39;t send you a code')
    expect(labelsOf(refused.text)).toEqual(labelsOf(page.text))
    const vault = await ana.get('/vault')
    const onlyApp = await ana.open(`/two-factor?requirement=${vault.json.requirement}`)
    expect(labelsOf(onlyApp.text)).toEqual(['Use the app'])
    expect(onlyApp.text).toContain('Enter the code that your authenticator app shows.')
    expect(
      (await ana.post('/two-factor/start', { requirement: vault.json.requirement, destination })).status,
    ).toBe(400)
  })
})

/** Of the buttons that ask for a code. */
const labelsOf = (page: string) =>
  [...page.replaceAll(/<\/?bdi>/g, '').matchAll(/name="(?:destination|channel)" [^>]*>([^<]+)</g)].map(
    ([, label]) => label,
  )
const linksOf = (page: string) =>
  [...page.matchAll(/<p><a href="([^"]*)">([^<]*)/g)].map(([, url, text]) => [url, text])
