import { describe, expect, it } from 'vitest'
import type { Browser } from '../express/browser.js'
import { gate, phones } from '../express/kit.js'
import {
  type AccountHost,
  idOf,
  otherNumber,
  path,
  proveByApp,
  proveNumber,
  shownByApp,
  signIn,
  startAccounts,
} from './kit.js'

const first = String(phones.ana)

/** Gets the code for a change, and leaves the change to be made. */
async function ready(host: AccountHost, browser: Browser, factor: string, fields: object = {}) {
  const { requirement } = (await browser.post(path + factor, fields)).json
  expect((await proveByApp(host, browser, requirement)).status).toBe(200)
  return () => browser.post(path + factor, fields)
}

describe('two tabs', () => {
  it.each([1, 2, 3])('that remove everything in parallel keep one factor (%i)', async () => {
    const host = await startAccounts({ numbers: [first], app: true })
    const ana = await signIn(host)
    const number = await idOf(ana, 0)
    const changes = [
      await ready(host, ana, '/app/remove'),
      await ready(host, ana, '/numbers/remove', { number }),
    ]
    const answers = await Promise.all(changes.map((change) => change()))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, expect.any(Number)])
    const { numbers, app } = host.filed.ana ?? { numbers: [] }
    expect(numbers.length + (app === undefined ? 0 : 1)).toBe(1)
    expect(host.told).toHaveLength(1)
  })

  it('back and reload do nothing a second time', async () => {
    const host = await startAccounts({ numbers: [first, otherNumber], app: true })
    const ana = await signIn(host)
    const number = await idOf(ana, 1)
    const remove = await ready(host, ana, '/numbers/remove', { number })
    expect((await remove()).status).toBe(200)
    expect((await remove()).refusal).toEqual([409, 'stale'])
    // The address of a form, opened again.
    expect((await ana.open(`${path}/numbers/remove`)).location).toBe(path)
  })

  it('give no access to a tab that starts an app while its neighbour adds the first number', async () => {
    let during = async (): Promise<void> => undefined
    const host = await startAccounts({
      numbers: [],
      isBehindPassword: true,
      pages: {
        authenticator: {
          has: async () => {
            const happens = during
            during = async () => undefined
            const seen = host.filed.ana?.app !== undefined
            await happens()
            return seen
          },
          save(_subject, made) {
            if (host.filed.ana !== undefined) host.filed.ana.app = made
          },
          remove: () => false,
        },
      },
    })
    const [thief, ana] = [await host.login(), await host.login()]
    await proveNumber(host, ana)
    // The thief has been taken for somebody without any way when the first one comes.
    during = async () => void (await ana.post(`${path}/numbers/add`))
    const { secret } = (await thief.get(`${path}/app`)).json
    expect(host.filed.ana?.numbers).toHaveLength(1)
    const typed = await thief.post(`${path}/app`, { code: shownByApp(host, secret) })
    expect([typed.status, host.filed.ana?.app]).toEqual([403, undefined])
    expect((await thief.get(`${path}/app`)).refusal).toEqual([403, 'second_factor_required'])
  })
})

describe('a function of the host', () => {
  it.each([
    ['save', 409],
    ['onChanged', 200],
  ])('that never answers holds up no later change: %s', async (name, status) => {
    const asked = gate()
    let hangs = true
    const answer = (of: string) => {
      if (of !== name || !hangs) return undefined
      hangs = false
      asked.open()
      return new Promise<never>(() => undefined)
    }
    const numbers = { list: () => [first, otherNumber], save: () => answer('save') }
    const host = await startAccounts({ app: true, pages: { numbers, onChanged: () => answer('onChanged') } })
    const ana = await signIn(host)
    const remove = await ready(host, ana, '/numbers/remove', { number: await idOf(ana, 1) })
    remove().catch(() => undefined)
    await asked.opened
    const signOut = await ready(host, await signIn(host), '/sign-out')
    expect((await signOut()).status).toBe(status)
  })

  it('that answers after the person has gone changes nothing, and the number stays proven', async () => {
    const [asked, answered] = [gate(), gate()]
    let reads = 0
    const host: AccountHost = await startAccounts({
      pages: {
        numbers: {
          async list(subject) {
            reads += 1
            // The last time before it is stored.
            if (reads === 2) asked.open()
            if (reads === 2) await answered.opened
            return host.filed[subject]?.numbers ?? []
          },
          save: (subject, numbers) => void host.filed[subject]?.numbers.push(...numbers),
        },
      },
    })
    const eve = await host.login('eve')
    await proveNumber(host, eve)
    const adding = eve.request('POST', `${path}/numbers/add`).send({})
    adding.catch(() => undefined)
    await asked.opened
    adding.abort()
    await expect(adding).rejects.toThrow()
    await new Promise((resolve) => setTimeout(resolve, 50))
    answered.open()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect([host.filed.eve?.numbers, host.told]).toEqual([[], []])
    expect((await eve.post(`${path}/numbers/add`)).status).toBe(200)
    expect(host.told).toHaveLength(1)
  })
})
