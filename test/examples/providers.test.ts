import { describe, expect, it, onTestFinished } from 'vitest'
import { chatWebhook } from '../../examples/providers/chat-webhook.js'
import { twilioVerify } from '../../examples/providers/twilio-verify.js'
import { vonageVerify } from '../../examples/providers/vonage-verify.js'
import { startRecorder } from '../provider/recorder.js'

const { signal } = new AbortController()
const send = {
  destination: '+573001234567',
  channel: 'call',
  appName: 'Acme of long name',
  purpose: 'login',
  locale: 'es-CO',
  expiresInMs: 600_000,
  signal,
} as const
const check = { destination: '+573001234567', appName: 'Acme', code: '482913', handle: 'VE1', signal }

async function recorder() {
  const started = await startRecorder()
  onTestFinished(() => started.close())
  return { ...started, origin: started.baseUrl.replace('/v1', '') }
}

async function twilio() {
  const service = await recorder()
  const account = { accountSid: 'AC1', authToken: 'token', serviceSid: 'VA1' }
  return { service, provider: twilioVerify({ ...account, baseUrl: service.origin }) }
}

async function vonage() {
  const service = await recorder()
  return { service, provider: vonageVerify({ apiKey: 'key', apiSecret: 'secret', baseUrl: service.origin }) }
}

describe('Twilio Verify', () => {
  it('is asked as its reference says', async () => {
    const { service, provider } = await twilio()
    await provider.sendCode(send)
    await provider.checkCode(check)
    expect(service.requests).toMatchObject([
      { line: 'POST /v2/Services/VA1/Verifications', body: 'To=%2B573001234567&Channel=call&Locale=es-CO' },
      { line: 'POST /v2/Services/VA1/VerificationCheck', body: 'VerificationSid=VE1&Code=482913' },
    ])
    const authorization = `Basic ${Buffer.from('AC1:token').toString('base64')}`
    expect(service.requests[0]?.headers).toMatchObject({ authorization })
  })

  it.each([
    [201, '{"sid": "VE1", "status": "pending"}', { result: 'sent', handle: 'VE1', lifetimeMs: 600_000 }],
    [201, '{"status": "pending"}', { result: 'unconfirmed' }],
    [429, '{"code": 60203}', { result: 'failed' }],
    [400, '<html>', { result: 'unconfirmed' }],
    [401, '{"code": 20003}', { result: 'misconfigured' }],
    [503, '{"code": 20503}', { result: 'unconfirmed' }],
  ])('send: HTTP %i %s is %j', async (status, body, result) => {
    const { service, provider } = await twilio()
    service.answer(body, status)
    expect(await provider.sendCode(send)).toEqual(result)
  })

  it.each([
    [200, '{"status": "approved"}', 'approved'],
    [200, '{"status": "pending"}', 'rejected'],
    [200, '{"status": "max_attempts_reached"}', 'rejected'],
    [404, '{"code": 20404}', 'rejected'],
    [404, '<html>', 'unavailable'],
    [200, '{}', 'unavailable'],
    [429, '{"code": 60202}', 'unavailable'],
    [403, '{"code": 20003}', 'misconfigured'],
    [500, '{"status": "approved"}', 'unavailable'],
  ])('check: HTTP %i %s is %s', async (status, body, verdict) => {
    const { service, provider } = await twilio()
    service.answer(body, status)
    expect(await provider.checkCode(check)).toBe(verdict)
  })
})

describe('Vonage Verify', () => {
  it('is asked as its reference says', async () => {
    const { service, provider } = await vonage()
    await provider.sendCode(send)
    await provider.checkCode(check)
    expect(service.requests.map(({ line, body }) => [line, JSON.parse(body)])).toEqual([
      [
        'POST /v2/verify',
        {
          brand: 'Acme of long nam',
          locale: 'es-mx',
          channel_timeout: 300,
          workflow: [{ channel: 'voice', to: '573001234567' }],
        },
      ],
      ['POST /v2/verify/VE1', { code: '482913' }],
    ])
  })

  it.each([
    [202, '{"request_id": "r1"}', { result: 'sent', handle: 'r1', lifetimeMs: 300_000 }],
    [202, '{}', { result: 'unconfirmed' }],
    [409, '{"title": "Conflict"}', { result: 'failed' }],
    [402, '{"title": "Low balance"}', { result: 'misconfigured' }],
    [500, '{"title": "Internal Error"}', { result: 'unconfirmed' }],
  ])('send: HTTP %i %s is %j', async (status, body, result) => {
    const { service, provider } = await vonage()
    service.answer(body, status)
    expect(await provider.sendCode(send)).toEqual(result)
  })

  it.each([
    [200, '{"status": "completed"}', 'approved'],
    [200, '{"status": "pending"}', 'unavailable'],
    [400, '{"title": "Invalid Code"}', 'rejected'],
    [410, '{"title": "Invalid Code"}', 'rejected'],
    [404, '{"title": "Not Found"}', 'rejected'],
    [400, '<html>', 'unavailable'],
    [401, '{"title": "Unauthorized"}', 'misconfigured'],
    [429, '{"title": "Rate Limit Hit"}', 'unavailable'],
  ])('check: HTTP %i %s is %s', async (status, body, verdict) => {
    const { service, provider } = await vonage()
    service.answer(body, status)
    expect(await provider.checkCode(check)).toBe(verdict)
  })
})

describe('a service that cannot be asked', () => {
  it.each([
    ['Twilio Verify', twilio],
    ['Vonage Verify', vonage],
  ])('has been sent nothing: %s', async (_name, open) => {
    const { service, provider } = await open()
    const aborted = { signal: AbortSignal.abort() }
    expect(await provider.sendCode({ ...send, ...aborted })).toEqual({ result: 'not-sent' })
    expect(await provider.checkCode({ ...check, ...aborted })).toBe('not-sent')
    expect(service.requests).toEqual([])
    await service.close()
    expect(await provider.sendCode(send)).toEqual({ result: 'not-sent' })
    expect(await provider.checkCode(check)).toBe('not-sent')
  })

  it.each([
    ['Twilio Verify', twilio],
    ['Vonage Verify', vonage],
  ])('is not asked about a code that it has not sent: %s', async (_name, open) => {
    const { service, provider } = await open()
    expect(await provider.checkCode({ ...check, handle: undefined })).toBe('unavailable')
    expect(service.requests).toEqual([])
  })
})

describe('what came back is reported for events, without number, code and credentials', () => {
  it.each([
    ['Twilio Verify', twilio, { code: 60203, message: 'Max attempts: +573001234567' }, '60203'],
    ['Vonage Verify', vonage, { title: 'Low balance', detail: 'to 573001234567' }, 'Low balance'],
  ])('by %s', async (_name, open, error, providerError) => {
    const { service, provider } = await open()
    async function reports(asked = provider) {
      const [sent, checked] = [{}, {}]
      await asked.sendCode({ ...send, report: (one) => Object.assign(sent, one) })
      await asked.checkCode({ ...check, report: (one) => Object.assign(checked, one) })
      return [sent, checked]
    }
    const operation = expect.stringMatching(/^[a-zA-Z]+$/)
    service.answer('{}', 200)
    const plain = { operation, httpStatus: 200 }
    expect(await reports()).toEqual([plain, plain])
    service.answer(JSON.stringify(error), 429)
    const refused = { operation, httpStatus: 429, reason: 'answer', providerError }
    expect(await reports()).toEqual([refused, refused])
    const gone = await open()
    await gone.service.close()
    const unsent = { operation, reason: 'refused' }
    expect(await reports(gone.provider)).toEqual([unsent, unsent])
  })
})

it('the chat sender posts a code that only its own send approves', async () => {
  const service = await recorder()
  const provider = chatWebhook({ url: `${service.origin}/hook` })
  const sent = await provider.sendCode(send)
  const { text } = JSON.parse(service.requests[0]?.body ?? '')
  const code = /^\d{6}/.exec(text)?.[0] ?? ''
  expect(text).toBe(`${code} is the Acme of long name code for the number ending in 67.`)
  const own = { ...check, appName: send.appName, code, handle: 'handle' in sent ? sent.handle : undefined }
  expect(await provider.checkCode(own)).toBe('approved')
  expect(await provider.checkCode({ ...own, appName: 'Other' })).toBe('rejected')
  expect(
    await provider.checkCode({ ...own, code: code.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }),
  ).toBe('rejected')
  expect(await provider.checkCode({ ...own, handle: 'another' })).toBe('unavailable')
  service.answer('', 500)
  expect(await provider.sendCode(send)).toMatchObject({ result: 'unconfirmed' })
})
