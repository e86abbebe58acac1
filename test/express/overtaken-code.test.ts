import { expect, it } from 'vitest'
import type { Browser } from './browser.js'
import { startHost } from './kit.js'

/** Ana has a code, and then another account gets one to the same number. */
async function startOvertaken() {
  const host = await startHost({ listens: true })
  const ana = await host.login('ana')
  await ana.submit('/two-factor/start')
  const { fields } = await ana.open('/two-factor')
  const other = await host.login('ana2')
  await other.submit('/two-factor/start')
  host.clock.now += 20_000
  return { host, ana, fields }
}

const gone = 'That code no longer works.'
const wait = 'You can ask for a code in'
const sent = 'We sent a code to'

function expectGone({ text }: Awaited<ReturnType<Browser['open']>>) {
  expect(text).toContain(gone)
  expect(text).toContain(wait)
  expect(text).not.toContain(sent)
}

it('a page no longer says that a code was sent, once another account got the last one of the number', async () => {
  const { host, ana, fields } = await startOvertaken()
  const refused = await ana.submit('/two-factor/verify', { ...fields, code: host.stub.rightCode })
  expect(refused.status).toBe(410)
  expectGone(refused)
  expectGone(await ana.open('/two-factor'))
  const again = await ana.submit('/two-factor/start')
  expect(again.status).toBe(429)
  expect(again.text).toContain(
    'The code we sent before can&#39;t be used here. You can ask for a new one in 40 seconds.',
  )
  expect(again.text).not.toContain(sent)
})

it('the button for a new code on the page of such a code sends one that signs in', async () => {
  const { host, ana, fields } = await startOvertaken()
  host.clock.now += 40_000
  await ana.submit('/two-factor/resend', fields)
  expect(host.stub.sends).toHaveLength(3)
  expect((await ana.open('/two-factor')).text).toContain(sent)
  expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
})

it('in JSON, a start says when the next code can be sent, and none is live', async () => {
  const { host, ana } = await startOvertaken()
  const again = await ana.start()
  expect(again.refusal).toEqual([429, 'resend_too_soon'])
  expect(again.json.retryAfterMs).toBe(40_000)
  expect((await ana.get('/two-factor')).json.challenge).toBeNull()
  host.clock.now += 40_000
  expect((await ana.start()).status).toBe(201)
  expect((await ana.verify(host.stub.rightCode)).status).toBe(200)
})

it('a code request of such a code can be cancelled', async () => {
  const { host, ana, fields } = await startOvertaken()
  expect((await ana.submit('/two-factor/cancel', fields)).status).toBe(303)
  expect(host.events.map(({ type }) => type)).toContain('challenge.cancelled')
})
