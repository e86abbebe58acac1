import { describe, expect, it, onTestFinished } from 'vitest'
import { twilioVerify } from '../../examples/providers/twilio-verify.js'
import { failover } from '../../src/index.js'
import { type Play, startCodeService, twilio } from '../tools/testing/code-services.js'
import { phones, startHost } from './kit.js'

/** Ben has no WhatsApp: his messages are refused as invalid recipients. Eva's service takes RCS for all of hers. */
const chats: Play = (path, body, codes, method) => {
  const params = new URLSearchParams(body)
  const to = params.get('To')
  if (params.get('Channel') === 'whatsapp' && to === phones.ben) return [400, { code: 63024, status: 400 }]
  const [status, json] = twilio(path, body, codes, method)
  return [status, to === phones.eva ? { ...json, channel: 'rcs' } : json]
}

async function startChatHost() {
  const service = await startCodeService(chats)
  onTestFinished(() => service.close())
  const account = {
    accountSid: 'AC1',
    authToken: 'token',
    serviceSid: 'VA1',
    signUpServiceSid: 'VA2',
    baseUrl: service.baseUrl,
  }
  const host = await startHost({
    provider: () => failover([twilioVerify(account)], { instead: { whatsapp: 'sms' } }),
    options: {
      channels: ['whatsapp', 'sms'],
      purposes: { login: {}, chat: { channels: ['whatsapp'] }, transfer: {} },
      appName: { login: 'Acme', chat: 'Acme chat', transfer: 'Acme transfer', signup: 'Acme signup' },
    },
    listens: true,
    mount: (app, tf) => {
      app.get('/chat', tf.requireTwoFactor({ purpose: 'chat' }), (req, res) => {
        res.json({ by: req.twoFactor?.grant.channel })
      })
    },
  })
  const asked = () =>
    service.requests
      .map(({ body }) => new URLSearchParams(body).get('Channel'))
      .filter((channel) => channel !== null)
  const sentBy = () => host.events.flatMap((event) => (event.type === 'challenge.sent' ? event.channel : []))
  return { host, service, asked, sentBy }
}

describe('a code by WhatsApp', () => {
  it('is offered, sent, announced and checked, and named in the grant', async () => {
    const { host, service, asked, sentBy } = await startChatHost()
    const ana = await host.login()
    expect((await ana.open('/two-factor')).text).toContain('>Send a code by <bdi>WhatsApp</bdi></button>')
    const started = await ana.post('/two-factor/start')
    expect(started.json.challenge).toMatchObject({ channel: 'whatsapp', channels: ['whatsapp', 'sms'] })
    expect((await ana.open('/two-factor')).text).toMatch(/We sent a code to .* by <bdi>WhatsApp<\/bdi>/)
    const code = service.codeFor(phones.ana ?? '')
    expect((await ana.verify(code)).status).toBe(200)

    const { requirement } = (await ana.get('/chat')).json
    host.clock.now += 60_000
    await ana.start({ requirement })
    await ana.verify(service.codeFor(phones.ana ?? ''))
    expect((await ana.get('/chat')).json).toEqual({ by: 'whatsapp' })
    expect([asked(), sentBy()]).toEqual([
      ['whatsapp', 'whatsapp'],
      ['whatsapp', 'whatsapp'],
    ])
  })

  it('is sent as a text message if it cannot be sent, and is not shown as WhatsApp then', async () => {
    const { host, service, asked, sentBy } = await startChatHost()
    const ben = await host.login('ben')
    const started = await ben.post('/two-factor/start')
    expect(started.json.challenge).toMatchObject({ channel: 'sms', attemptsRemaining: 5 })
    expect([asked(), sentBy()]).toEqual([['whatsapp', 'sms'], ['sms']])
    const code = service.codeFor(phones.ben ?? '')
    expect((await ben.verify(code)).status).toBe(200)

    // For a purpose without text messages none is paid.
    const { requirement } = (await ben.get('/chat')).json
    host.clock.now += 60_000
    expect((await ben.start({ requirement })).refusal).toEqual([502, 'delivery_failed'])
    expect(asked()).toEqual(['whatsapp', 'sms', 'whatsapp'])
  })
  it('may be sent by RCS if the service chooses it: this is shown, and the next request is unchanged', async () => {
    const { host, asked, sentBy } = await startChatHost()
    const eva = await host.login('eva')
    const started = await eva.post('/two-factor/start')
    expect(started.json.challenge).toMatchObject({ channel: 'rcs', channels: ['whatsapp', 'sms'] })
    expect((await eva.open('/two-factor')).text).not.toContain('value="rcs"')
    host.clock.now += 60_000
    expect((await eva.post('/two-factor/resend', { channel: 'rcs' })).status).toBe(400)
    expect((await eva.post('/two-factor/resend')).status).toBe(200)
    expect([asked(), sentBy()]).toEqual([
      ['whatsapp', 'whatsapp'],
      ['rcs', 'rcs'],
    ])
  })
})
