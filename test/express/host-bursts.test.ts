import type { Request } from 'express'
import { expect, it } from 'vitest'
import { expressSession, type OwnAct, type TwoFactorOptions } from '../../src/index.js'
import type { Browser } from './browser.js'
import { byHand, gate, startHost, startLoggedIn } from './kit.js'

const atOnce = 16
/** As that of a pool that has run dry. */
const never = new Promise<never>(() => undefined)

/** A host one of whose functions never settles until it is told to answer. */
async function startHanging(what: 'phone' | 'session.save' = 'phone') {
  let asked = 0
  let left = 0
  let hangs = true
  const hang = (req: Request) => {
    asked += 1
    req.res?.once('close', () => {
      left += 1
    })
    return hangs ? never : undefined
  }
  const options: Partial<TwoFactorOptions> =
    what === 'phone' ? { phone: hang } : { session: { ...expressSession(), save: hang } }
  const host = await startHost({ options })
  const answer = () => {
    hangs = false
  }
  return { host, asked: () => asked, left: () => left, answer }
}

/** A request whose answer nobody waits for. */
function open(browser: Browser, method: 'GET' | 'POST' = 'POST', path = '/two-factor/start') {
  const sent = browser.request(method, path)
  sent.end(() => undefined)
  return sent
}

it('sixteen requests of one session wait for the app, without an effect on further sessions', async () => {
  const { host, asked, answer } = await startHanging()
  const ana = await host.login()
  const waiting = Array.from({ length: atOnce }, () => open(ana))
  await expect.poll(asked).toBe(atOnce)

  for (const told of [await ana.start(), await ana.get('/two-factor'), await ana.get('/account')]) {
    expect(told.json).toMatchObject({ code: 'capacity', status: 429, limit: 'session' })
    expect(told.headers.get('retry-after')).toBe('1')
  }
  expect([(await ana.open('/two-factor')).status, asked()]).toEqual([429, atOnce])
  const ben = open(await host.login('ben'))
  await expect.poll(asked).toBe(atOnce + 1)

  for (const sent of [...waiting, ben]) sent.abort()
  // What waits already waits on; a refusal asks for the number as well.
  answer()
  await expect.poll(async () => (await ana.get('/account')).status).toBe(403)
  // Nobody is left to be told.
  expect(host.errors).toEqual([])
})

it('a request that a guard called by hand has let pass keeps its one place until its handler is through', async () => {
  const held = gate()
  let running = 0
  const { host, ana } = await startLoggedIn({
    options: { phone: () => undefined },
    mount(app, tf) {
      const passed = byHand(tf.requireTwoFactor({ exempt: () => true }))
      const act: OwnAct = async (visit) => {
        const reply = await passed(visit)
        running += 1
        if (running <= atOnce) await held.opened
        return reply
      }
      app.post('/own', tf.ownRoute('POST', act))
    },
  })
  const waiting = Array.from({ length: atOnce }, () => ana.post('/own'))
  await expect.poll(() => running).toBe(atOnce)
  const more = await Promise.all(Array.from({ length: atOnce }, () => ana.post('/own')))
  expect(more.map(({ status }) => status)).toEqual(Array(atOnce).fill(429))
  held.open()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(atOnce).fill(200))
  expect((await ana.post('/own')).status).toBe(200)
  expect(host.errors).toEqual([])
})

it.each([
  ['phone', 'POST', '/two-factor/start'],
  ['session.save', 'GET', '/account'],
] as const)('sixteen cancelled requests during a hanging %s block no user', async (what, method, path) => {
  const { host, asked, left, answer } = await startHanging(what)
  const ana = await host.login()
  for (let gone = 0; gone < 2 * atOnce; gone += atOnce) {
    const waiting = Array.from({ length: atOnce }, () => open(ana, method, path))
    await expect.poll(asked).toBe(gone + atOnce)
    for (const sent of waiting) sent.abort()
    await expect.poll(left).toBe(gone + atOnce)
  }
  // The database is back.
  answer()
  expect((await ana.get('/account')).status).toBe(403)
})
