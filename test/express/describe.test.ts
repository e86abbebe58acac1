import { describe, expect, it } from 'vitest'
import { createShownCheck } from '../../src/express/guard/details.js'
import { createClient, type Details, type GuardOptions, ownCodes, twoFactor } from '../../src/index.js'
import { figure } from '../prove/figure.js'
import { transfersAt } from './described-transfers.js'
import { baseOptions, type HostOptions, hearWarnings, startHost, startSignedIn } from './kit.js'

type Describe = NonNullable<GuardOptions['describe']>

/** Ends a tag, an attribute and an element of the page, and looks like a place of its texts. */
const hostile = `"><img src=x onerror='alert(1)'></bdi></dd></dl><form action="https://evil.example"> {phone} &lt;`
const escaped =
  '&quot;&gt;&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&lt;/bdi&gt;&lt;/dd&gt;&lt;/dl&gt;' +
  '&lt;form action=&quot;https://evil.example&quot;&gt; {phone} &amp;lt;'

function startPayHost(given: HostOptions = {}, describe?: (...asked: Parameters<Describe>) => unknown) {
  return startSignedIn({
    ...given,
    mount: transfersAt('/pay', { ...(describe && { describe: describe as Describe }) }),
  })
}

const details = (amount: string, payee: string) => ({
  title: 'Transfer',
  rows: [
    ['Amount', amount],
    ['To', payee],
  ],
})

describe('what the person confirms', () => {
  it('is in the refusal and in the challenge, and a changed amount is refused', async () => {
    const { host, ana } = await startPayHost()
    const refused = await ana.post('/pay', { amount: '100', payee: 'Ben' })
    expect(refused.json).toMatchObject({ code: 'second_factor_required', details: details('100', 'Ben') })
    const { requirement } = refused.json
    const readable = Buffer.from(requirement, 'base64url').toString('latin1') + requirement
    const told = ['amount', 'payee', 'Amount', 'Payee'].filter((name) => readable.includes(name))
    figure(19, `${told.length} bound names readable in a requirement of ${requirement.length} characters`)
    expect(told).toEqual([])
    const shown = await ana.get(`/two-factor?requirement=${requirement}`)
    expect(shown.json).toEqual({ challenge: null })
    const started = await ana.post('/two-factor/start', { requirement })
    expect(started.json.challenge.details).toEqual(details('100', 'Ben'))
    const live = await ana.get(`/two-factor?requirement=${requirement}`)
    expect(live.json.challenge.details).toEqual(details('100', 'Ben'))
    host.clock.now += 60_000
    expect((await ana.post('/two-factor/resend', { requirement })).json.challenge.details).toEqual(
      details('100', 'Ben'),
    )
    await ana.post('/two-factor/verify', { code: host.stub.rightCode })
    expect((await ana.post('/pay', { amount: '900', payee: 'Ben' })).status).toBe(403)
    expect((await ana.post('/pay', { amount: '100', payee: 'Eve' })).status).toBe(403)
    expect((await ana.post('/pay', { amount: '100', payee: 'Ben' })).status).toBe(200)
  })

  it('is on every page, escaped, for any content', async () => {
    const { host, ana } = await startPayHost()
    host.clock.now += 60_000
    const refused = await ana.submit('/pay', { amount: '5', payee: hostile })
    expect(refused.text).toContain('<h2><bdi>Transfer</bdi></h2>')
    const { requirement = '' } = refused.fields
    const started = await ana.submit('/two-factor/start', { requirement })
    const code = await ana.open(started.location)
    const wrong = await ana.submit('/two-factor/verify', { requirement, code: '000000' })
    for (const { text } of [refused, code, wrong]) expect(text).toContain(`<dd><bdi>${escaped}</bdi></dd>`)
    const live = await ana.get(`/two-factor?requirement=${requirement}`)
    expect(live.json.challenge.details).toEqual(details('5', hostile))
  })

  it('reads as it is stored: one line, in one direction', async () => {
    const { ana } = await startPayHost()
    const refused = await ana.post('/pay', {
      amount: '5',
      payee: 'Ben\r\n@evil.example #1\u202e\u2066x\u2028y\u0000',
    })
    expect(refused.json.details.rows[1]).toEqual(['To', 'Ben @evil.example #1x y '])
  })

  /** So many bytes, of which the last row takes what is left. */
  const ofBytes = (bytes: number) => {
    const rows = Array.from({ length: 10 }, () => ['a', 'x'.repeat(185)])
    const room = bytes - Buffer.byteLength(JSON.stringify({ rows: [...rows, ['a', '']] }))
    return { rows: [...rows, ['a', 'x'.repeat(room)]] }
  }
  it.each<[string, number, (length: number) => object]>([
    ['title must have', 100, (length) => ({ title: 'a'.repeat(length), rows: [['a', 'b']] })],
    ['rows must be', 12, (length) => ({ rows: Array(length).fill(['a', 'b']) })],
    ['rows[0][0] must have', 60, (length) => ({ rows: [['a'.repeat(length), 'b']] })],
    ['rows[0][1] must have', 200, (length) => ({ rows: [['a', 'b'.repeat(length)]] })],
    ['2048 bytes', 2_048, ofBytes],
  ])('may be as long as its bounds say, and no longer: %s %i', async (message, most, make) => {
    let given = make(most)
    const { ana } = await startPayHost({}, () => given)
    const pay = async () => (await ana.post('/pay', { amount: '5', payee: 'Ben' })).json
    expect(await pay()).toMatchObject({ status: 403, details: given })
    given = make(most + 1)
    expect(await pay()).toMatchObject({ status: 400, detail: expect.stringContaining(message) })
  })

  it.each<[string, unknown]>([
    ['describe must return { title?, rows, action? }', undefined],
    ['rows must be a non-empty array', { rows: [] }],
    ['rows[0] must be [label, value]', { rows: [['a', 'b', 'c']] }],
    ['rows[0][1] must be a string. Pass it through String().', { rows: [['a', 5]] }],
    ['rows[0][1] must be a string. Is the body parsed', { rows: [['a', undefined]] }],
    ['title must be a string', { title: 5, rows: [['a', 'b']] }],
    ['action must be a string', { action: true, rows: [['a', 'b']] }],
    ['action must not be empty', { action: '', rows: [['a', 'b']] }],
  ])('tells the developer what is wrong with it: %s', async (message, given) => {
    const { host, ana } = await startPayHost({}, () => given)
    expect((await ana.post('/pay', { amount: '5', payee: 'Ben' })).status).toBe(500)
    expect(host.errors).toEqual([expect.any(TypeError)])
    expect(String(host.errors[0])).toContain(message)
  })

  it('is required by the profile psd2 for a guard with once, together with the bound fields', async () => {
    const { stub, clock } = await startHost()
    const options = { ...baseOptions(stub, clock), limits: { profile: 'psd2' as const } }
    const tf = twoFactor(options)
    const ofPurposes = twoFactor({ ...options, purposes: { login: {}, pay: { once: true } } })
    const pay = { purpose: 'pay', once: true }
    const bind = () => ({ amount: 1 })
    const describes = (): Details => ({ rows: [['Amount', '1']] })
    const demanded = 'once needs bind and describe with the profile psd2'
    expect(() => tf.requireTwoFactor({ ...pay, bind })).toThrow(demanded)
    expect(() => tf.requireTwoFactor({ ...pay, describe: describes })).toThrow(demanded)
    expect(() => ofPurposes.requireTwoFactor({ purpose: 'pay', bind })).toThrow(demanded)
    expect(() => tf.requireTwoFactor({ describe: describes })).toThrow(
      /^requireTwoFactor: describe needs bind: .* add bind: /,
    )
    expect(tf.requireTwoFactor({ ...pay, bind, describe: describes })).toBeTypeOf('function')
    const fiveMinutes = 5 * 60_000
    expect(tf.requireTwoFactor({ purpose: 'settings', maxAgeMs: fiveMinutes })).toBeTypeOf('function')
    expect(() => tf.requireTwoFactor({ purpose: 'settings', maxAgeMs: fiveMinutes + 1 })).toThrow(
      'maxAgeMs must be 300000 or less with this profile',
    )
    // A sign-in is no payment: it may be older than a step-up.
    expect(tf.requireTwoFactor({ maxAgeMs: fiveMinutes + 1 })).toBeTypeOf('function')
    // Without the profile nothing of the kind is demanded.
    expect(twoFactor(baseOptions(stub, clock)).requireTwoFactor({ once: true })).toBeTypeOf('function')
  })
})

describe('what is shown and not bound', () => {
  const { said, codes } = hearWarnings()

  /** A check whose warnings are listed. */
  function startCheck() {
    const warned: string[] = []
    return { check: createShownCheck((code, cause) => void warned.push(`${code} ${cause}`)), warned }
  }
  const asked = { subject: 'ana', purpose: 'pay', bound: 'hash', locale: 'en' }
  const shown = { title: 'Transfer', rows: [['Amount', '5'] as const, ['To', 'Mum'] as const] }
  const changed = { ...shown, rows: [['Amount', '5'] as const, ['To', 'Mallory'] as const] }

  it.each<[string, object, Details, string[]]>([
    ['the same', {}, shown, []],
    ['another value', {}, changed, ['To']],
    ['another title', {}, { ...shown, title: 'Gift' }, ['title']],
    ['a row more', {}, { ...shown, rows: [...shown.rows, ['Note', 'x']] }, ['Note']],
    ['other fields', { bound: 'other' }, changed, []],
    ['another language', { locale: 'es' }, changed, []],
  ])(
    'warns by its label when the same fields are refused again with other rows: %s',
    (_name, differs, details, labels) => {
      const { check, warned } = startCheck()
      check(asked, shown)
      check({ ...asked, ...differs }, details)
      expect(warned).toEqual(labels.map((label) => `TWO_FACTOR_ROWS_NOT_BOUND purpose "pay", "${label}"`))
    },
  )

  it('remembers no more than a hundred refusals', () => {
    const { check, warned } = startCheck()
    check(asked, shown)
    for (let index = 0; index < 99; index += 1) check({ ...asked, bound: `${index}` }, shown)
    check(asked, changed)
    expect(warned).toHaveLength(1)
    for (let index = 0; index < 100; index += 1) check({ ...asked, bound: `${index}` }, shown)
    check(asked, shown)
    expect(warned).toHaveLength(1)
  })

  it('is reported to the app as a process warning, at its second refusal', async () => {
    const { ana } = await startPayHost({}, (req) => ({ rows: [['Note', req.body.note]] }))
    for (const note of ['rent', 'gift', 'loan']) await ana.post('/pay', { amount: '5', payee: 'Ben', note })
    expect(await codes()).toEqual(['TWO_FACTOR_ROWS_NOT_BOUND'])
    expect(said[0]?.message).toMatch(/^`describe` returned different rows .* \(purpose "pay", "Note"\)$/)
  })
})

it('a text with details has them again in the next text, and a payee that changed since is refused', async () => {
  const { host, ana } = await startPayHost({
    provider: ({ baseUrl }) =>
      ownCodes({ client: createClient({ baseUrl, client: 41, key: 'k-canary' }), secret: 's'.repeat(32) }),
  })
  const lastText = () => host.stub.sends.at(-1)?.form.sms
  const payment = { amount: '100', payee: 'Ben' }
  host.clock.now += 60_000
  const { requirement } = (await ana.post('/pay', payment)).json
  const started = await ana.start({ requirement })
  expect(lastText()).toMatch(/^\d{6} is your Acme code\. Transfer: Amount 100, To Ben\. /)
  host.clock.now += 120_000
  const resent = await ana.post('/two-factor/resend', { challenge: started.json.challenge.id })
  expect(resent.json.challenge.details).toEqual(details('100', 'Ben'))
  expect(lastText()).toContain('Transfer: Amount 100, To Ben.')
  await ana.verify(host.stub.rightCode)
  // RTS, article 5: dynamic linking.
  expect((await ana.post('/pay', { ...payment, payee: 'Eve' })).status).toBe(403)
  expect((await ana.post('/pay', payment)).status).toBe(200)
})
