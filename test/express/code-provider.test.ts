import { EventEmitter, once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { type CodeCheck, type CodeProvider, type CodeSend, failover, ownCodes } from '../../src/index.js'
import { startLoggedIn } from './kit.js'

/** An adapter in ten lines, as a host would write it, that keeps what it was asked. */
function adapter(more: Partial<CodeProvider> = {}) {
  const sends: CodeSend[] = []
  const checks: CodeCheck[] = []
  const provider: CodeProvider = {
    name: 'acme-sms',
    async sendCode(send) {
      sends.push(send)
      return { result: 'sent', handle: `h${sends.length}` }
    },
    async checkCode(check) {
      checks.push(check)
      return check.code === '482913' ? 'approved' : 'rejected'
    },
    ...more,
  }
  return { provider, sends, checks }
}

describe('twoFactor with a CodeProvider', () => {
  it('signs in by it, and names it in the event', async () => {
    const { provider, sends, checks } = adapter()
    const { host, ana } = await startLoggedIn({ options: { provider }, listens: true })
    expect((await ana.start({ channel: 'call' })).status).toBe(201)
    expect(sends).toMatchObject([
      { destination: '+573001234567', channel: 'call', appName: 'Acme', purpose: 'login', locale: 'en' },
    ])
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'challenge.sent', provider: 'acme-sms' }),
    )
    expect((await ana.verify('000000')).status).toBe(422)
    expect((await ana.verify('482913')).status).toBe(200)
    expect((await ana.get('/account')).status).toBe(200)
    expect(checks).toHaveLength(2)
  })

  it.each([
    ['codes of our own', (own: CodeProvider) => own],
    ['failover', (own: CodeProvider) => failover([own])],
  ])('judges no code before its send is answered, and counts none: %s', async (_, of) => {
    const told = new EventEmitter()
    const released = once(told, 'release')
    const texted = once(told, 'text')
    const client = {
      async sendSms({ sms }: { readonly sms: string }) {
        told.emit('text', sms)
        await released
      },
    }
    const own = ownCodes({ client, secret: 'a secret of thirty-two bytes or more' })
    const { host, ana } = await startLoggedIn({ options: { provider: of(own) }, listens: true })
    const started = ana.start()
    const code = /\d{6}/.exec(String(await texted))?.[0] ?? ''
    const other = code === '000000' ? '000001' : '000000'
    for (const early of [code, code, other, code, other, code, code]) {
      expect((await ana.verify(early)).refusal).toEqual([503, 'provider_unavailable'])
    }
    expect((await ana.get('/two-factor')).json.challenge.attemptsRemaining).toBe(5)
    expect(host.events.filter(({ type }) => type.startsWith('provider.'))).toEqual([])

    told.emit('release')
    expect((await started).status).toBe(201)
    const wrong = await ana.verify(other)
    expect([wrong.status, wrong.json.attemptsRemaining]).toEqual([422, 4])
    expect((await ana.verify(code)).status).toBe(200)
  })
})
