import { expect, it } from 'vitest'
import { codeOf, fromBase32 } from '../../src/lib/totp.js'
import { startHost } from './kit.js'

const hour = 3_600_000
const minute = 60_000
const appSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'

/** A host whose clock is an hour ahead, and what ends that. */
async function startAhead() {
  const host = await startHost({
    options: {
      limits: { failuresBeforeLock: 5, sendsPerHour: 2 },
      authenticator: {
        secretOf: (_req, subject) => (subject === 'ben' ? appSecret : undefined),
        issuer: 'Acme',
      },
    },
  })
  const rightNow = host.clock.now
  host.clock.now += hour
  const setRight = () => {
    host.clock.now = rightNow
  }
  return { host, rightNow, setRight }
}

it('a clock that was an hour ahead: its grants and codes are refused once it is right', async () => {
  const { host, setRight } = await startAhead()
  const [ana, eva] = [await host.signIn(), await host.challenged('eva')]
  expect((await ana.get('/account')).status).toBe(200)
  setRight()
  expect((await ana.get('/account')).refusal).toEqual([403, 'second_factor_required'])
  expect((await eva.verify(host.stub.rightCode)).refusal).toEqual([410, 'challenge_gone'])
  expect((await host.confirm(ana)).status).toBe(200)
  expect((await ana.get('/account')).status).toBe(200)
})

it('a clock that was an hour ahead: locks and limits last an hour longer, until they are lifted', async () => {
  const { host, setRight } = await startAhead()
  const ana = await host.challenged()
  for (const code of ['111111', '222222', '333333', '444444', '555555']) await ana.verify(code)
  const eva = await host.challenged('eva')
  host.clock.now += minute
  await eva.post('/two-factor/resend', {})
  setRight()
  expect(await host.tf.subjects.state('ana')).toMatchObject({ locked: true, lockedForMs: hour + 15 * minute })
  const limited = await (await host.login('eva')).start()
  expect(limited.refusal).toEqual([429, 'send_limit'])
  expect(limited.json.retryAfterMs).toBeGreaterThan(hour)
  for (const subject of ['ana', 'eva']) {
    await host.tf.subjects.unlock(subject)
    expect((await (await host.login(subject)).start()).status).toBe(201)
  }
})

it('a clock that is an hour ahead refuses every code of an authenticator app', async () => {
  const { host, rightNow } = await startAhead()
  const ben = await host.login('ben')
  await ben.start()
  const shown = codeOf(Math.floor(rightNow / 30_000), fromBase32(appSecret) ?? Buffer.of())
  expect((await ben.verify(shown)).refusal).toEqual([422, 'code_not_accepted'])
})
