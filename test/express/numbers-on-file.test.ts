import { describe, expect, it } from 'vitest'
import type { TwoFactorOptions } from '../../src/index.js'
import { codeOf, readTotpSecret } from '../../src/lib/totp.js'
import { parseNumberOnFile } from '../../src/phone-number.js'
import { hearWarnings, signupAt, startHost, startLoggedIn } from './kit.js'

const startWith = (onFile: unknown, listens?: true) =>
  startLoggedIn({
    options: { phone: (() => onFile) as TwoFactorOptions['phone'] },
    ...(listens && { listens }),
  })

describe('a number on file', () => {
  const warned = hearWarnings()

  it.each([
    [{ phone: '300 123 4567', country: 'CO' }],
    [[{ phone: '300 123 4567', country: 'CO', label: 'Mine' }]],
    ['573001234567'],
    ['57 300 123 4567'],
    [{ phone: '+573001234567', country: 'MX' }],
  ])('is read as %j', async (onFile) => {
    const { host, ana } = await startWith(onFile)
    expect((await ana.start()).status).toBe(201)
    expect(host.stub.sends.map(({ form }) => form.phone)).toEqual(['573001234567'])
    expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
  })

  it('that is national and names no country is 403, an alarm and one warning', async () => {
    const { host, ana } = await startWith('300 123 4567', true)
    for (let time = 0; time < 2; time += 1) {
      expect((await ana.start()).refusal).toEqual([403, 'destination_not_allowed'])
    }
    const alarms = host.events.filter(({ type }) => type === 'factor.unreadable')
    expect(alarms).toMatchObject([{ kind: 'phone', subject: 'ana', reason: 'not-a-number' }])
    await warned.codes()
    const said = warned.said.filter(({ code }) => code === 'TWO_FACTOR_NUMBER_UNREADABLE')
    expect(said).toHaveLength(1)
    expect(said[0]?.message).not.toContain('300 123')
  })

  it('in a country without codes is no unreadable one', async () => {
    const { host, ana } = await startWith('+14155550123', true)
    expect((await ana.start()).refusal).toEqual([403, 'destination_not_allowed'])
    expect(host.events.map(({ type }) => type)).not.toContain('factor.unreadable')
  })

  const unlisted = async () => {
    await warned.codes()
    return warned.said.filter(({ code }) => code === 'TWO_FACTOR_COUNTRY_NOT_LISTED')
  }

  it.each([
    ['+1 415 555 0123', '(US)'],
    [{ phone: '415 555 0123', country: 'US' }, '(US)'],
    ['+1 555 555 0100', '(no country of a listed calling code)'],
  ])('in a country that `countries` lacks warns once, without the number: %j', async (onFile, cause) => {
    const { ana } = await startWith(onFile)
    for (let time = 0; time < 2; time += 1) expect((await ana.start()).status).toBe(403)
    const said = await unlisted()
    expect(said.map(({ message }) => message.slice(-cause.length))).toEqual([cause])
    expect(said[0]?.message).not.toMatch(/555|415/)
  })

  it('in a country that `countries` lacks warns at the code page, where no code was requested', async () => {
    const { ana } = await startWith('+14155550123', true)
    await ana.open('/two-factor')
    expect(await unlisted()).toHaveLength(1)
  })

  it('in a country that `countries` lacks warns of nothing at a sign-up', async () => {
    const host = await startHost({ mount: signupAt('/signup/phone') })
    const visitor = host.browser()
    expect((await visitor.post('/signup/phone/start', { phone: '+14155550123' })).status).toBe(403)
    expect(await unlisted()).toEqual([])
  })

  it.each([
    ['300 123 4567', ['CO'], undefined],
    ['3001234567', ['CO', 'MX'], undefined],
    // A mobile of Spain by its calling code, and one of Brazil without it.
    ['34612345678', ['ES'], '+34612345678'],
    ['34612345678', 'any', undefined],
    ['573001234567', ['MX'], undefined],
    // +55 11 … of Brazil reads as a national number of Brazil, too: area 55.
    ['5511987654321', ['BR'], '+5511987654321'],
    ['55991234567', ['BR'], undefined],
  ] as const)('of digits %s with the countries %j is %s', async (phone, countries, read) => {
    const parsed = await parseNumberOnFile({ phone }, countries)
    expect(parsed.ok ? parsed.phone : undefined).toBe(read)
  })

  it.each([[{ phone: '300', country: 'Colombia' }], [{ phone: 5, country: 'CO' }], [{ country: 'CO' }]])(
    'has no other shape: %j',
    async (onFile) => {
      const { host, ana } = await startWith(onFile)
      expect((await ana.start()).status).toBe(500)
      expect(host.errors).toMatchObject([{ message: expect.stringMatching(/^phone/) }])
    },
  )
})

it('an app of another system signs in by its own form of codes', async () => {
  const uri =
    'otpauth://totp/Old:ana?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA&algorithm=SHA256&digits=8&period=60'
  const host = await startHost({ options: { authenticator: { secretOf: () => uri, issuer: 'Acme' } } })
  const secret = readTotpSecret(uri)
  if (secret === undefined) throw new Error('The URI was not read.')
  const step = ((Math.floor(host.clock.now / 60_000) + 2) * 60_000) / 30_000 - 2
  const code = codeOf(step, secret.key, secret)
  expect(code).toMatch(/^\d{8}$/)
  const ana = await host.login()
  await ana.start({ channel: 'app' })
  expect((await ana.verify(code)).status).toBe(200)
  const again = await host.login()
  await again.start({ channel: 'app' })
  expect((await again.verify(code)).refusal).toEqual([422, 'code_not_accepted'])
})
