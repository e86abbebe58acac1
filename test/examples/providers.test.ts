import { describe, expect, it, onTestFinished } from 'vitest'
import { chatWebhook } from '../../examples/providers/chat-webhook.js'
import { type TwilioVerifyOptions, twilioVerify } from '../../examples/providers/twilio-verify.js'
import { type VonageVerifyOptions, vonageVerify } from '../../examples/providers/vonage-verify.js'
import { ana, createService } from '../challenge/service.js'
import { startRecorder } from '../provider/recorder.js'
import { startCodeService, vonage as vonagePlay } from '../tools/testing/code-services.js'

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

async function twilio(more: Partial<TwilioVerifyOptions> = {}) {
  const service = await recorder()
  const account = {
    accountSid: 'AC1',
    authToken: 'token',
    serviceSid: 'VA1',
    signUpServiceSid: 'VA2',
    baseUrl: service.origin,
  }
  return { service, provider: twilioVerify({ ...account, ...more }) }
}

async function vonage(more: Partial<VonageVerifyOptions> = {}) {
  const service = await recorder()
  const account = { apiKey: 'key', apiSecret: 'secret', baseUrl: service.origin }
  return { service, provider: vonageVerify({ ...account, ...more }) }
}

describe('Twilio Verify', () => {
  it('receives requests as in its reference', async () => {
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

  it('uses another service for sign-ups, whose wrong codes use up no check of a sign-in', async () => {
    const { service, provider } = await twilio()
    service.answer(JSON.stringify({ sid: 'VE2' }), 201)
    const { handle } = Object(await provider.sendCode({ ...send, lane: 'enrol' }))
    await provider.checkCode({ ...check, handle })
    expect(service.requests).toMatchObject([
      { line: 'POST /v2/Services/VA2/Verifications' },
      { line: 'POST /v2/Services/VA2/VerificationCheck', body: 'VerificationSid=VE2&Code=482913' },
    ])
  })

  it('lets a code die ten minutes after the first send, not after the last', async () => {
    const { service, provider } = await twilio()
    const created = (ms: number) => JSON.stringify({ sid: 'VE1', date_created: new Date(Date.now() - ms) })
    const lifetimes: number[] = []
    for (const ms of [0, 240_000, 700_000, -60_000]) {
      service.answer(created(ms), 201)
      lifetimes.push(Object(await provider.sendCode(send)).lifetimeMs)
    }
    const near = lifetimes.map((ms) => Math.round(ms / 10_000) * 10_000)
    expect(near).toEqual([600_000, 360_000, 0, 600_000])
    expect(Math.min(...lifetimes)).toBeGreaterThan(0)
  })
})

describe('Vonage Verify', () => {
  it('receives requests as in its reference', async () => {
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

  it('sends by each method that it declares, by WhatsApp once it has a sender', async () => {
    const { service, provider } = await vonage({ whatsappFrom: '447700900000' })
    for (const { name } of provider.methods ?? []) await provider.sendCode({ ...send, channel: name })
    const to = '573001234567'
    expect(service.requests.flatMap(({ body }) => JSON.parse(body).workflow)).toEqual([
      { channel: 'sms', to },
      { channel: 'voice', to },
      { channel: 'rcs', to },
      { channel: 'whatsapp', from: '447700900000', to },
    ])
    const names = (await vonage()).provider.methods?.map(({ name }) => name)
    expect(names).toEqual(['sms', 'call', 'rcs'])
  })

  it('cancels the earlier request and reports it', async () => {
    const { service, provider } = await vonage()
    service.answer('', 204)
    const again = { ...send, previousHandle: 'r/1' }
    expect(await provider.sendCode(again)).toEqual({ result: 'unconfirmed', cancelled: true })
    expect(service.requests.map(({ line }) => line)).toEqual(['DELETE /v2/verify/r%2F1', 'POST /v2/verify'])
  })

  it('moves the request before on where it could not be cancelled', async () => {
    const { service, provider } = await vonage()
    service.answer('{"title": "Conflict"}', 409)
    expect(await provider.sendCode({ ...send, previousHandle: 'r/1' })).toEqual({ result: 'later' })
    expect(service.requests.map(({ line }) => line)).toEqual([
      'DELETE /v2/verify/r%2F1',
      'POST /v2/verify',
      'POST /v2/verify/r%2F1/next_workflow',
    ])
  })
})

const sent = { result: 'sent', handle: 'VE1', byNumber: true, lifetimeMs: 600_000 }

/** What each service answers, and what comes of it. */
const services = [
  {
    name: 'Twilio Verify',
    open: twilio,
    sends: [
      [201, '{"sid": "VE1", "status": "pending"}', sent],
      [201, '{"sid": "VE1", "channel": "call", "status": "pending"}', sent],
      // It chose another way by itself.
      [201, '{"sid": "VE1", "channel": "rcs", "status": "pending"}', { ...sent, channel: 'rcs' }],
      [201, '{"status": "pending"}', { result: 'unconfirmed' }],
      // Of one number: too many sends, its country. Of one method: switched off.
      [429, '{"code": 60203, "status": 429}', { result: 'later' }],
      [429, '{"code": 20429, "status": 429}', { result: 'later' }],
      [408, '{"status": 408}', { result: 'unconfirmed' }],
      [403, '{"code": 60605, "status": 403}', { result: 'failed' }],
      [400, '{"code": 60223, "status": 400}', { result: 'failed' }],
      // Of the account: its key, its state, what it may do, and a service that is not there.
      [401, '{"code": 20003, "status": 401}', { result: 'misconfigured' }],
      [403, '{"code": 20006, "status": 403}', { result: 'misconfigured' }],
      [404, '{"code": 20404, "status": 404}', { result: 'misconfigured' }],
      [400, '<html>', { result: 'unconfirmed' }],
      [503, '{"code": 20503, "status": 503}', { result: 'unconfirmed' }],
    ],
    checks: [
      [200, '{"status": "approved", "valid": true}', 'approved'],
      [200, '{"status": "pending", "valid": false}', 'rejected'],
      [200, '{"status": "max_attempts_reached"}', 'rejected'],
      [404, '{"code": 20404, "status": 404}', 'over'],
      [429, '{"code": 60202, "status": 429}', 'over'],
      [429, '{"code": 20429, "status": 429}', 'unavailable'],
      [400, '{"code": 60200, "status": 400}', 'unavailable'],
      [200, '{}', 'unavailable'],
      [403, '{"code": 20003, "status": 403}', 'misconfigured'],
      [404, '<html>', 'unavailable'],
      [500, '{"status": "approved"}', 'unavailable'],
    ],
    error: { code: 60203, message: 'Max attempts: +573001234567' },
    providerError: '60203',
  },
  {
    name: 'Vonage Verify',
    open: vonage,
    sends: [
      [202, '{"request_id": "r1"}', { result: 'sent', handle: 'r1', lifetimeMs: 300_000 }],
      [202, '{}', { result: 'unconfirmed' }],
      [409, '{"title": "Conflict"}', { result: 'later' }],
      [429, '{"title": "Rate Limit Hit"}', { result: 'later' }],
      [408, '{}', { result: 'unconfirmed' }],
      [401, '{"title": "Unauthorized"}', { result: 'misconfigured' }],
      [402, '{"title": "Low balance"}', { result: 'misconfigured' }],
      [500, '{"title": "Internal Error"}', { result: 'unconfirmed' }],
    ],
    checks: [
      [200, '{"status": "completed"}', 'approved'],
      [200, '{"status": "pending"}', 'unavailable'],
      [400, '{"title": "Invalid Code"}', 'rejected'],
      [410, '{"title": "Invalid Code"}', 'over'],
      [404, '{"title": "Not Found"}', 'over'],
      [409, '{"title": "Conflict"}', 'unavailable'],
      [429, '{"title": "Rate Limit Hit"}', 'unavailable'],
      [401, '{"title": "Unauthorized"}', 'misconfigured'],
      [400, '<html>', 'unavailable'],
      [502, '{"title": "Bad Gateway"}', 'unavailable'],
    ],
    error: { title: 'Low balance', detail: 'to 573001234567' },
    providerError: 'Low balance',
  },
] as const

describe.each(services)('$name', ({ open, sends, checks, error, providerError }) => {
  it.each<readonly [number, string, unknown]>(sends)(
    'send: HTTP %i %s is %j',
    async (status, body, result) => {
      const { service, provider } = await open()
      service.answer(body, status)
      expect(await provider.sendCode(send)).toEqual(result)
    },
  )

  it.each<readonly [number, string, unknown]>(checks)(
    'check: HTTP %i %s is %s',
    async (status, body, verdict) => {
      const { service, provider } = await open()
      service.answer(body, status)
      expect(await provider.checkCode(check)).toBe(verdict)
    },
  )

  it('has been sent nothing when it cannot be reached', async () => {
    const { service, provider } = await open()
    await service.close()
    expect(await provider.sendCode(send)).toEqual({ result: 'not-sent' })
    expect(await provider.checkCode(check)).toBe('not-sent')
  })

  it('is not asked about a code that it has not sent, which costs no attempt', async () => {
    const { service, provider } = await open()
    expect(await provider.checkCode({ ...check, handle: undefined })).toBe('not-sent')
    expect(service.requests).toEqual([])
  })

  it('reports the response for events, without number, code and credentials', async () => {
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
  expect(await provider.checkCode({ ...own, handle: undefined })).toBe('not-sent')
  service.answer('', 500)
  expect(await provider.sendCode(send)).toMatchObject({ result: 'unconfirmed' })
})

it('a sign-up at Vonage yields to a sign-in with its number, and not the reverse', async () => {
  const service = await startCodeService(vonagePlay)
  onTestFinished(() => service.close())
  const codes = vonageVerify({ apiKey: 'key', apiSecret: 'secret', baseUrl: service.baseUrl })
  const signUp = { ...send, channel: 'sms', lane: 'enrol' } as const
  const signIn = { ...send, channel: 'sms', lane: 'auth' } as const
  expect(await codes.sendCode(signUp)).toMatchObject({ result: 'sent' })
  const { handle, result } = Object(await codes.sendCode(signIn))
  expect(result).toBe('sent')
  expect(await codes.sendCode(signUp)).toMatchObject({ result: 'later' })
  const code = service.codeFor(send.destination)
  expect(await codes.checkCode({ ...check, code, handle })).toBe('approved')
})

it('three people who ask twice for another code at Vonage get it', async () => {
  const service = await startCodeService(vonagePlay)
  onTestFinished(() => service.close())
  const codes = vonageVerify({ apiKey: 'key', apiSecret: 'secret', baseUrl: service.baseUrl })
  const { challenges, wait } = createService({ codes })
  const people = [1, 2, 3].map((each) => {
    const phone = `+57300123456${each}`
    return { ...ana, subject: phone, session: phone, phone }
  })
  const each = (ask: (who: (typeof people)[number]) => Promise<{ readonly outcome: string }>) =>
    Promise.all(people.map(async (who) => (await ask(who)).outcome))
  const outcomes = [await each((who) => challenges.start({ ...who, purpose: 'login' }))]
  for (const channel of ['sms', 'call'] as const) {
    wait(120_000)
    outcomes.push(await each((who) => challenges.resend({ ...who, channel })))
  }
  expect(outcomes).toEqual(Array(3).fill(Array(3).fill('started')))
  expect(service.requests.filter(({ line }) => line.startsWith('DELETE'))).toHaveLength(6)
  expect(await each((who) => challenges.verify({ ...who, code: service.codeFor(who.phone) }))).toEqual(
    Array(3).fill('approved'),
  )
})
