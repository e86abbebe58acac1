import { describe, expect, it } from 'vitest'
import type { Browser } from './browser.js'
import { transfersAfterPassword } from './described-transfers.js'
import { bringDevice, type Host, startHost } from './kit.js'

/** A payment of the owner, who has signed in, up to its code. */
async function startPayment() {
  const host = await startHost({ routes: transfersAfterPassword, options: { limits: { profile: 'psd2' } } })
  const owner = await host.signIn()
  host.clock.now += 60_000
  host.stub.checks.length = 0
  return { host, owner }
}

const payment = { amount: '5', payee: 'Mum' }

async function askForCode(owner: Browser): Promise<string> {
  const { requirement } = (await owner.post('/pay', payment)).json
  return (await owner.start({ requirement })).json.challenge.id
}

/** Types wrong codes, some at once, as long as one is checked. Returns how many were. */
async function guess({ stub }: Host, browsers: readonly Browser[], challenge: string): Promise<number> {
  const earlier = stub.checks.length
  for (let before = -1, typed = 0; before < stub.checks.length; ) {
    before = stub.checks.length
    const all = browsers.flatMap((browser) =>
      Array.from({ length: 4 }, () => browser.verify(String(100_000 + ++typed), { challenge })),
    )
    await Promise.all(all)
  }
  return stub.checks.length - earlier
}

describe('the profile psd2', () => {
  it('checks five wrong codes of one challenge, however many arrive at once, with and without the cookie', async () => {
    const { host, owner } = await startPayment()
    const challenge = await askForCode(owner)
    const withoutCookie = owner.copy()
    for (const name of withoutCookie.cookies.keys()) {
      if (name.startsWith('__Host-two-factor-device')) withoutCookie.cookies.delete(name)
    }
    expect(await guess(host, [owner, withoutCookie, owner.copy()], challenge)).toBe(5)
    const right = await owner.verify(host.stub.rightCode, { challenge })
    expect(right.refusal).toEqual([429, 'attempts_exhausted'])
    expect((await owner.post('/pay', payment)).status).toBe(403)
  })

  it('leaves the owner five, whatever another session with the password does before and meanwhile', async () => {
    const { host, owner } = await startPayment()
    const attacker = await host.login()
    const own = (await attacker.start()).json.challenge.id
    expect(await guess(host, [attacker, attacker.copy()], own)).toBe(5)
    host.clock.now += 60_000
    const challenge = await askForCode(owner)
    const stolen = bringDevice(await host.login(), owner)
    expect(await guess(host, [attacker, stolen], challenge)).toBe(0)
    for (const code of ['100001', '100002', '100003', '100004']) {
      expect((await owner.verify(code, { challenge })).refusal).toEqual([422, 'code_not_accepted'])
    }
    expect((await owner.verify(host.stub.rightCode, { challenge })).status).toBe(200)
    expect((await owner.post('/pay', payment)).status).toBe(200)
  })
})

describe('a payment whose send gets no response', () => {
  it('is confirmed by no unused code for a sign-in, and by its own after a resend', async () => {
    const { host, owner } = await startPayment()
    await owner.start()
    const ofSignIn = host.stub.rightCode
    host.clock.now += 120_000
    const { answerSend } = host.stub
    host.stub.answerSend = () => ({ status: 500, text: '' })
    const challenge = await askForCode(owner)
    // It never happened: the code for the sign-in is the newest one at the provider.
    expect((await owner.verify(ofSignIn, { challenge })).refusal).toEqual([410, 'challenge_gone'])
    expect(host.stub.checks).toEqual([])
    host.clock.now += 300_000 - 1
    host.stub.answerSend = answerSend
    expect((await owner.post('/two-factor/resend', { challenge })).status).toBe(200)
    expect((await owner.verify(host.stub.rightCode, { challenge })).status).toBe(200)
    expect((await owner.post('/pay', payment)).status).toBe(200)
  })
})
