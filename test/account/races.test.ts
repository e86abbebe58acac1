import { describe, expect, it } from 'vitest'
import type { Browser } from '../express/browser.js'
import { phones } from '../express/kit.js'
import { type AccountHost, idOf, otherNumber, path, proveByApp, signIn, startAccounts } from './kit.js'

const first = String(phones.ana)

/** Gets the code for a change, and leaves the change to be made. */
async function ready(host: AccountHost, browser: Browser, way: string, fields: object = {}) {
  const { requirement } = (await browser.post(path + way, fields)).json
  expect((await proveByApp(host, browser, requirement)).status).toBe(200)
  return () => browser.post(path + way, fields)
}

describe('two tabs', () => {
  it.each([1, 2, 3])('that remove everything at the same moment leave a way (%i)', async () => {
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

  it('that change one list do so one after the other, each with a code for what it saw', async () => {
    const host = await startAccounts({ numbers: [first, otherNumber], app: true })
    const ana = await signIn(host)
    const put = await ready(host, ana, '/numbers/first', { number: await idOf(ana, 1) })
    const remove = await ready(host, ana, '/numbers/remove', { number: await idOf(ana, 0) })
    const [one, other] = await Promise.all([put(), remove()])
    expect([one.status, other.status].filter((status) => status === 200)).toHaveLength(1)
    expect([[otherNumber, first], [otherNumber]]).toContainEqual(host.filed.ana?.numbers)
  })

  it('back and reload do nothing a second time', async () => {
    const host = await startAccounts({ numbers: [first, otherNumber], app: true })
    const ana = await signIn(host)
    const number = await idOf(ana, 1)
    const remove = await ready(host, ana, '/numbers/remove', { number })
    expect((await remove()).status).toBe(200)
    expect((await remove()).refusal).toEqual([409, 'stale'])
    // The address of a form, opened again.
    expect((await ana.open(`${path}/numbers/remove`)).status).toBe(404)
  })
})
