import { describe, expect, it } from 'vitest'
import { redisStore } from '../../src/store/redis-store.js'
import type { Browser } from '../express/browser.js'
import { phones, startHost } from '../express/kit.js'
import { redisOfFile } from '../express/redis.js'
import { figure } from '../prove/figure.js'
import { spellingsOf } from '../spellings.js'
import { withoutRedis } from '../store/redis-server.js'

const redis = redisOfFile()

const signupPhone = '+573009998877'

/** Sign-in with wrong codes and a trusted device, step-up, signup, a sign-in that stays open. */
async function liveThroughEverything() {
  const sent: string[] = []
  const sendCommand = (_key: string, args: string[]) => {
    sent.push(...args)
    return redis.client.sendCommand(args)
  }
  const host = await startHost({
    options: {
      store: redisStore({ sendCommand }),
      trustedDevices: { maxAgeMs: 86_400_000 },
      purposes: { login: { trustedDevice: true } },
    },
    mount: (app, tf) => app.use('/signup/phone', tf.phoneVerification().routes()),
  })
  // Ten digits: six would turn up in some random id, now and then.
  host.stub.answerSend = () => {
    host.stub.rightCode = String(4_829_130_000 + host.stub.sends.length)
    return { json: { id: 'a1', status: 'queued', minutes_to_expire: 5 } }
  }
  const codes: string[] = []
  const cookies = new Set<string>()

  async function ask(browser: Browser, path: string, body: object, status: number) {
    const told = await browser.post(path, body)
    expect([path, told.status]).toEqual([path, status])
    for (const cookie of browser.cookies.values()) cookies.add(decodeURIComponent(cookie))
    return told.json
  }
  const verify = (browser: Browser, path: string, code: string, status: number, more = {}) => {
    codes.push(code)
    return ask(browser, `${path}/verify`, { code, ...more }, status)
  }

  const ana = await host.login()
  await ask(ana, '/two-factor/start', {}, 201)
  await verify(ana, '/two-factor', 'wrong42', 422)
  await verify(ana, '/two-factor', host.stub.rightCode, 200, { trustDevice: true })
  const { requirement } = await ask(ana, '/transfers', { amount: 1, payee: 'Luis' }, 403)
  await ask(ana, '/two-factor/start', { requirement }, 201)
  await verify(ana, '/two-factor', host.stub.rightCode, 200)

  const eva = host.browser()
  await ask(eva, '/signup/phone/start', { phone: signupPhone }, 201)
  await verify(eva, '/signup/phone', 'WRONG43', 422)
  await verify(eva, '/signup/phone', host.stub.rightCode, 200)

  const ben = await host.login('ben')
  await ask(ben, '/two-factor/start', {}, 201)
  codes.push(host.stub.rightCode)

  const keys = (await redis.client.sendCommand(['KEYS', '*'])) as string[]
  const atRest = await Promise.all(keys.map(async (key) => [key, await redis.client.get(key)] as const))
  const numbers = [phones.ana ?? '', phones.ben ?? '', signupPhone]
  return {
    sent,
    atRest,
    secrets: [
      'k-canary',
      ...codes,
      // With and without country and plus.
      ...numbers.flatMap((phone) => [phone, phone.slice(1), phone.slice(3)]),
      // A session cookie is s:<id>.<signature>, a device cookie <id>.<time>.<signature>: its id is in no way secret.
      ...[...cookies].map((cookie) => cookie.replace(/^s:([^.]*)\..*$|^.*\./, '$1')),
    ],
  }
}

describe.skipIf(withoutRedis)('Redis', () => {
  it('never receives a number, a code, a session, a device or the key of the account', async () => {
    const { sent, atRest, secrets } = await liveThroughEverything()
    const kinds = new Set(atRest.map(([key]) => key.split(':')[2]))
    for (const kind of [
      'auth',
      'enrol',
      'grants',
      'devices',
      'enrolment',
      'number-sends',
      'number-wrong',
      'count-auth-address-sends',
    ]) {
      expect(kinds).toContain(kind)
    }
    // One key, six codes, three spellings of three numbers, six sessions and a device.
    expect(secrets.length).toBeGreaterThanOrEqual(1 + 6 + 9 + 7)

    figure(7, `${secrets.length} secrets looked for in ${atRest.length} entries and every command`)
    const dump = atRest.flat().join('\n')
    const everySent = sent.join('\n')
    for (const spelling of secrets.flatMap(spellingsOf)) {
      expect(dump).not.toContain(spelling)
      expect(everySent).not.toContain(spelling)
    }
  })
})

describe('a secret in the midst of other text', () => {
  it.each(['4829130001', '+573001234567', 'k-canary', 'wrong42'])('is found in base64: %s', (secret) => {
    for (const lead of ['', 'a', 'ab']) {
      const base64 = Buffer.from(`${lead}${secret}tail`).toString('base64')
      expect(spellingsOf(secret).some((spelling) => base64.includes(spelling))).toBe(true)
    }
  })
})
