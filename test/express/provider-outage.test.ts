import { expect, it } from 'vitest'
import { codeOf, fromBase32 } from '../../src/lib/totp.js'
import { bringDevice, startHost } from './kit.js'
import { recover, startRecoveryHost } from './recovery-kit.js'

const appSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

it('a start is 503 while the provider cannot be reached, and the page says when to try again', async () => {
  const host = await startHost()
  const ana = await host.login()
  await host.stub.close()
  const { status, text } = await ana.submit('/two-factor/start')
  expect(status).toBe(503)
  expect(text).toContain('Sorry, we can&#39;t send codes right now.')
  expect(text).toContain('Try again in a few minutes.')
})

it('apps, recovery codes, trusted browsers and sign-ins work while the provider cannot be reached', async () => {
  const host = await startRecoveryHost({
    options: {
      authenticator: {
        secretOf: (_req, subject) => (subject === 'ben' ? appSecret : undefined),
        issuer: 'Acme',
      },
      trustedDevices: { maxAgeMs: 86_400_000 },
      purposes: { login: { trustedDevice: true }, transfer: {} },
    },
  })
  const trusted = await host.challenged()
  expect((await trusted.verify(host.stub.rightCode, { trustDevice: true })).status).toBe(200)
  await host.stub.close()

  expect((await trusted.get('/account')).status).toBe(200)
  const again = bringDevice(await host.login(), trusted)
  expect((await again.start()).json).toMatchObject({ verified: true })
  expect((await recover(await host.login(), host.codes[0])).status).toBe(200)
  const ben = await host.login('ben')
  await ben.start({ channel: 'app' })
  const shown = codeOf(Math.floor(host.clock.now / 30_000), fromBase32(appSecret) ?? Buffer.of())
  expect((await ben.verify(shown)).status).toBe(200)
  expect((await (await host.login('eva')).start()).status).toBe(503)
})
