import { describe, expect, it } from 'vitest'
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
    ana.start({ destination: await to(masked, method) })
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
    host.clock.now += 60_000
    expect((await ana.post('/two-factor/resend', { channel: 'sms' })).status).toBe(400)
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
    expect(host.stub.checks.map(({ form }) => `+${form.phone}`)).toEqual([landline])
  })

  it('keep their order except for the last successful one, in any browser', async () => {
    const { host, ana, listed, start } = await startWithNumbers()
    const first = async () => (await listed()).map(({ method, masked }) => method + masked.slice(-2))[0]
    await start('21')
    await ana.verify('wrong1')
    expect(await first()).toBe('app')
    await ana.verify(host.stub.rightCode)
    expect([await first(), (await listed()).length]).toEqual(['sms21', 6])
    host.clock.now += 60_000
    // By default the code comes by it, too, in another browser as well.
    const other = await host.login()
    expect((await other.start()).json.challenge.destination).toBe('••••••21')
    host.clock.now += 31 * 24 * 3_600_000
    expect(await first()).toBe('app')
  })

  it('have ids for one subject in one session and namespace, and for the list as it is', async () => {
    const { host, ana, to } = await startWithNumbers({
      phone: (_req, subject) => (subject === 'ben' ? [office] : numbers),
    })
    const destination = await to('21')
    const other = await startAppHost({ phone: () => numbers, namespace: 'other' })
    for (const browser of [await host.login(), await host.login('ben'), await other.host.login()]) {
      expect((await browser.start({ destination })).refusal).toEqual([400, 'invalid_request'])
    }
    expect((await ana.start({ destination: 'sms' })).status).toBe(400)
    expect(host.stub.sends).toEqual([])
  })

  it('end with the list: a challenge at a number that is gone is gone, and so is its id', async () => {
    let onFile: readonly string[] = [mobile, office]
    const { host, shows, ana, to, start } = await startWithNumbers({ phone: () => onFile })
    const destination = await to('21')
    await start('21')
    onFile = [mobile]
    expect((await ana.start({ destination })).status).toBe(400)
    expect((await ana.verify(host.stub.rightCode)).json.code).toBe('challenge_gone')
    // The app is left, whose code would be a grant by text message.
    onFile = []
    expect((await ana.verify(shows())).json.code).toBe('challenge_gone')
    expect(host.stub.checks).toEqual([])
  })

  it.each<[string, readonly string[] | undefined, string[]]>([
    ['one is too short', [mobile, '+57 30'], ['••••••67', '']],
    ['one is of another country', [mobile, '+34600123456'], ['••••••67', '']],
    ['there is an app, and no number', [], ['']],
    ['there is an app, and the host says nothing', undefined, ['']],
  ])('are those that a code can be had from: %s', async (_why, onFile, masked) => {
    const { listed } = await startWithNumbers({ phone: () => onFile, channels: ['sms', 'app'] })
    expect((await listed()).map((one) => one.masked)).toEqual(masked)
  })

  it.each([
    [
      Array(6).fill(mobile),
      /^phone returned 6 numbers; it must return a string, \{ phone, country \}, a list of up to 5, or undefined$/,
    ],
    [[mobile, 5], /^phone: number 2 must be a string, or \{ phone, country, methods, label \}/],
    [[{ phone: mobile, methods: ['fax'] }], /^phone: number 1 must be/],
  ])('have to be numbers: %j', async (onFile, message) => {
    const { host } = await startAppHost({ phone: () => onFile })
    const answer = await (await host.login('ben')).start()
    expect([answer.status, answer.json.host]).toEqual([500, expect.stringMatching(message)])
    expect(host.stub.sends).toEqual([])
  })

  it('are chosen on a page that the code page leads to, and back from', async () => {
    const links = { otherMethod: '/passkey' }
    const recoveryCodes = { consume: () => true }
    const { host, ana } = await startWithNumbers({ pages: { links }, recoveryCodes })
    const { text: first, fields } = await ana.open('/two-factor')
    expect(labelsOf(first)).toEqual([
      'Use the app',
      'Text the number ending in 6 7',
      'Call the number ending in 6 7',
      'Text Office &amp; home',
      'Call Office &amp; home',
      'Call the number ending in 9 9',
    ])
    // A row each for the app and the numbers.
    expect(first.match(/<li>/g)).toHaveLength(4)
    const choose = (page: string, label: string, more = {}) => {
      const button = new RegExp(`name="destination" value="([\\w-]{43})"[^>]*>${label}<`)
      const [, destination = ''] = button.exec(page.replaceAll(isolation, '')) ?? []
      return ana.submit('/two-factor/start', { ...fields, destination, ...more })
    }
    expect((await choose(first, 'Text the number ending in 6 7')).status).toBe(303)
    const code = (await ana.open('/two-factor')).text
    expect(linksOf(code)).toEqual(['/two-factor?purpose=login&amp;method=any'])

    const another = (await ana.open('/two-factor?purpose=login&method=any')).text
    expect(labelsOf(another)).toEqual(labelsOf(first))
    expect(linksOf(another)).toEqual([
      '/two-factor?purpose=login&amp;method=recovery-code',
      '/passkey',
      '/two-factor?purpose=login',
    ])
    expect((await choose(another, 'Text Office &amp; home')).status).toBe(303)
    expect(host.stub.sends.map(({ form }) => `+${form.phone}`)).toEqual([mobile, office])
    // The page again, and not that of the code, where one is refused.
    host.clock.now += 30_000
    await ana.post('/two-factor/cancel', {})
    const refused = await choose(another, 'Text Office &amp; home', { method: 'any' })
    expect([refused.status, labelsOf(refused.text)]).toEqual([429, labelsOf(first)])
  })

  it('are offered as far as guard, purpose and the host take them, with the refusal and on the page', async () => {
    const { host, ana } = await startWithNumbers({
      purposes: { login: {}, transfer: { channels: ['sms'] }, vault: {} },
      appName: { login: 'Acme', transfer: 'Acme transfer', signup: 'Acme signup' },
      recoveryCodes: { consume: () => true },
      beforeSend: async (_req, { purpose }) => purpose !== 'transfer',
    })
    await host.confirm(ana, { channel: 'call' })
    host.clock.now += 120_000
    const { requirement, destinations } = (await ana.post('/transfers', { amount: 1, payee: 'a' })).json
    expect(destinations).toMatchObject([
      { method: 'sms', masked: '••••••67' },
      { method: 'sms', masked: '••••••21' },
    ])
    const destination = destinations[1].id
    const page = await ana.open(`/two-factor?requirement=${requirement}`)
    expect(labelsOf(page.text)).toEqual(['Text the number ending in 6 7', 'Text Office &amp; home'])
    // A step-up takes no recovery code.
    expect(page.text).not.toContain('recovery')
    const refused = await ana.submit('/two-factor/start', { requirement, destination })
    expect(refused.text).toContain('We can&#39;t send you a code')
    expect(labelsOf(refused.text)).toEqual(labelsOf(page.text))
    const vault = (await ana.get('/vault')).json
    expect(vault.destinations).toMatchObject([{ method: 'app' }])
    const onlyApp = await ana.open(`/two-factor?requirement=${vault.requirement}`)
    expect(labelsOf(onlyApp.text)).toEqual(['Use the app'])
    expect((await ana.start({ requirement: vault.requirement, destination })).status).toBe(400)
  })
})

/** Of the buttons that ask for a code. */
const isolation = /<\/?(?:bdi|span)[^>]*>/g
const labelsOf = (page: string) =>
  [...page.replaceAll(isolation, '').matchAll(/name="(?:destination|channel)" [^>]*>([^<]+)</g)].map(
    ([, label]) => label,
  )
const linksOf = (page: string) => [...page.matchAll(/<p><a href="([^"]*)">/g)].map(([, url]) => url)
