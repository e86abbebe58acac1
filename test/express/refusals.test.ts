import { describe, expect, it } from 'vitest'
import { httpStatusOf } from '../../src/errors.js'
import { problemDocument } from '../../src/express/http/problems.js'
import type { ProblemCode, TwoFactorError, TwoFactorOptions } from '../../src/index.js'
import { startHost } from './kit.js'
import { startRecoveryHost } from './recovery-kit.js'

it.each(Object.keys(httpStatusOf) as ProblemCode[])('a problem document of %s has one title', (code) => {
  expect(problemDocument({ code }, 'a sentence')).toMatchObject({
    type: `urn:express-two-factor:${code}`,
    title: expect.stringMatching(/^[A-Z][-\w ,]+$/),
    detail: 'a sentence',
    code,
  })
})

describe('a malformed request', () => {
  const code = '482913'
  const recoveryCode = '0'.repeat(24)
  const half = recoveryCode.slice(1)

  it.each<[string, string, unknown, string]>([
    ['a list for a body', 'start', ['login'], 'The body must be an object.'],
    ['no code', 'verify', {}, 'code does not match the expected format.'],
    ['a sentence', 'verify', { code: 'is it 1 or 2?' }, 'code does not match the expected format.'],
    ['a word for yes', 'verify', { code, trustDevice: 'yes' }, 'trustDevice must be true or false.'],
    ['both kinds of code', 'verify', { code, recoveryCode }, 'Send code or recoveryCode, not both.'],
    ['half of one', 'verify', { recoveryCode: half }, 'recoveryCode does not match the expected format.'],
    [
      'a recovery code at a step-up',
      'verify',
      { recoveryCode, purpose: 'transfer' },
      'A recovery code will not do here.',
    ],
  ])('with %s is told so', async (_name, route, body, detail) => {
    const host = await startRecoveryHost()
    const told = await (await host.login()).post(`/two-factor/${route}`, body)
    expect([told.status, told.json.code, told.json.detail]).toEqual([400, 'invalid_request', detail])
    expect([host.stub.sends, host.stub.checks, host.asked]).toEqual([[], [], []])
  })

  it('with half a body is told so', async () => {
    const host = await startHost()
    const ana = await host.login()
    const told = await ana.postRaw('/two-factor/start', 'application/json', '{"channel":')
    expect([told.status, told.json.detail]).toEqual([400, 'The body could not be parsed.'])
  })
})

it('a proof that is redeemed without a session is refused in words for the developer', async () => {
  const session: TwoFactorOptions['session'] = { id: () => undefined, rotate: () => undefined }
  const host = await startHost({
    options: { session },
    mount: (app, tf) => {
      const signup = tf.phoneVerification()
      app.post('/signup', async (req, res) => {
        const refusal = await signup.redeem(req).catch((error: TwoFactorError) => error)
        res.json({ ...refusal, message: (refusal as TwoFactorError).message })
      })
    },
  })
  expect((await host.browser().post('/signup')).json).toMatchObject({
    code: 'session_unavailable',
    message: 'This request has no session.',
  })
})

describe('the box "trust this browser"', () => {
  it.each<[unknown, number]>([
    [true, 1],
    ['true', 1],
    ['on', 1],
    [false, 0],
    ['false', 0],
    ['', 0],
    [undefined, 0],
  ])('sent as %j leaves so many trusted devices: %i', async (trustDevice, count) => {
    const host = await startHost({ options: { trustedDevices: { maxAgeMs: 60_000 } } })
    const ana = await host.login()
    expect((await host.confirm(ana, {}, { trustDevice })).status).toBe(200)
    expect(await host.tf.trustedDevices.list('ana')).toHaveLength(count)
  })
})

it.each(['Application/JSON', 'application/json ; charset=utf-8'])(
  'a body of type %s is read',
  async (type) => {
    const host = await startHost()
    const ana = await host.login()
    const told = await ana.postRaw('/two-factor/start', type, '{"channel":"call"}')
    expect(told.json.challenge).toMatchObject({ channel: 'call' })
  },
)

it('pages are kept out of frames, of other types and of the Referer of other sites', async () => {
  const host = await startHost()
  const page = await (await host.login()).open('/two-factor')
  expect(page.headers.get('x-frame-options')).toBe('DENY')
  expect(page.headers.get('x-content-type-options')).toBe('nosniff')
  expect(page.headers.get('referrer-policy')).toBe('same-origin')
})
