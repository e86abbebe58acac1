import { MemoryStore } from 'express-session'
import { describe, expect, it } from 'vitest'
import { expressSession, memoryStore, type Store } from '../../src/index.js'
import type { Browser } from './browser.js'
import { type RecoveryHost, recover, startRecoveryHost } from './recovery-kit.js'

const second = 1_000
const minute = 60 * second

type Fault = 'refuses' | 'does it and loses the answer' | 'does it late' | 'stays down'

/** A store whose nth command from now on goes wrong. */
function faultyStore() {
  const well = memoryStore()
  let countdown = Number.POSITIVE_INFINITY
  let fault: Fault = 'refuses'
  let hits = 0

  function broken(work: () => unknown): unknown {
    hits += 1
    if (fault !== 'stays down') countdown = Number.POSITIVE_INFINITY
    if (fault === 'does it late') return new Promise(() => setImmediate(work))
    if (fault === 'does it and loses the answer') work()
    return Promise.reject(new Error('ECONNRESET'))
  }
  const command =
    (name: 'read' | 'swap' | 'increment') =>
    (...args: never[]) => {
      const work = () => (well[name] as (...all: never[]) => unknown)(...args)
      countdown -= 1
      return countdown <= 0 ? broken(work) : work()
    }
  return {
    store: {
      read: command('read'),
      swap: command('swap'),
      increment: command('increment'),
    } as unknown as Store,
    arm(nth: number, kind: Fault) {
      countdown = nth
      fault = kind
    },
    /** How often it went wrong. */
    heal() {
      countdown = Number.POSITIVE_INFINITY
      return hits
    },
  }
}

/** The code was used up once, opens nothing for others, and gets its own session in. */
async function expectNotLost(host: RecoveryHost, ana: Browser, code: string, where: string): Promise<void> {
  const thief = await host.login()
  expect([where, (await recover(thief, code)).status]).toEqual([where, 422])
  await expectFinished(host, ana, code, where)
}

async function expectFinished(host: RecoveryHost, ana: Browser, code: string, where: string): Promise<void> {
  let told = await recover(ana, code)
  // A lease that was not given back ends by itself.
  if (told.status === 409) {
    expect([where, told.json.retryAfterMs]).toEqual([where, 10 * second])
    host.clock.now += 10 * second
    told = await recover(ana, code)
  }
  expect([where, told.status, told.json]).toMatchObject([where, 200, { verified: true }])
}

async function expectUsedUp(host: RecoveryHost, ana: Browser, code: string, where: string): Promise<void> {
  expect([where, (await ana.get('/account')).status]).toEqual([where, 200])
  expect([where, host.kept.size]).toEqual([where, 9])
  host.clock.now += 11 * second
  for (const browser of [await host.login(), await host.login('ben')]) {
    expect([where, (await recover(browser, code)).status]).toEqual([where, 422])
  }
}

describe('a recovery code', () => {
  it.each<Fault>(['refuses', 'does it and loses the answer', 'does it late', 'stays down'])(
    'is not lost, and opens nothing for others, when the store %s at any step',
    async (fault) => {
      let steps = 0
      for (let nth = 1; ; nth += 1) {
        const faulty = faultyStore()
        const options = { store: faulty.store, limits: { storeTimeoutMs: 20 } }
        const host = await startRecoveryHost({ options })
        const [code = ''] = host.codes
        const ana = await host.login()
        faulty.arm(nth, fault)
        const told = await recover(ana, code)
        const wasHit = faulty.heal() > 0
        const where = `${fault} at command ${nth}: ${told.status}`
        if (told.status !== 200) {
          expect([where, told.status]).toEqual([where, 503])
          expect([where, (await ana.get('/account')).status]).toEqual([where, 403])
          // Nothing was used up yet where the code is still with the host.
          if (host.kept.size < 10) await expectNotLost(host, ana, code, where)
          else await expectFinished(host, ana, code, where)
        }
        await expectUsedUp(host, ana, code, where)
        if (!wasHit) break
        steps = nth
      }
      expect(steps).toBeGreaterThan(7)
    },
  )

  it.each(['destroy', 'set'] as const)('is not lost when the session store fails at %s', async (verb) => {
    const sessionStore = new MemoryStore()
    const host = await startRecoveryHost({ sessionStore })
    const [code = ''] = host.codes
    const ana = await host.login()
    const well = sessionStore[verb].bind(sessionStore) as (...args: unknown[]) => void
    sessionStore[verb] = ((...args: unknown[]) => {
      sessionStore[verb] = well as never
      ;(args.at(-1) as (error: Error) => void)(new Error('down'))
    }) as never
    const told = await recover(ana, code)
    expect([told.status, told.json.code]).toEqual([503, 'session_unavailable'])
    // express-session forgets who it was about when it cannot destroy the old one: the password comes first.
    expect((await ana.get('/account')).status).toBe(verb === 'destroy' ? 401 : 403)
    if (verb === 'destroy') await ana.post('/login', { user: 'ana' })
    await expectNotLost(host, ana, code, verb)
    await expectUsedUp(host, ana, code, verb)
  })

  it('is not lost when onVerified throws, which leaves no grant behind', async () => {
    let fails = true
    const host = await startRecoveryHost({
      options: {
        onVerified() {
          if (fails) throw new Error('the accounts are away')
        },
      },
    })
    const [code = ''] = host.codes
    const ana = await host.login()
    expect((await recover(ana, code)).status).toBe(500)
    expect((await ana.get('/account')).status).toBe(403)
    expect((await recover(ana, code)).status).toBe(500)
    fails = false
    await expectNotLost(host, ana, code, 'onVerified')
    await expectUsedUp(host, ana, code, 'onVerified')
    expect(host.asked.filter((hash) => hash === host.asked[0])).toHaveLength(3)
    expect(host.events.filter(({ type }) => type === 'recovery.used')).toHaveLength(1)
  })

  it('is not lost, and finished at once, when a renewal fails that took the session away', async () => {
    let fails = true
    const host = await startRecoveryHost({
      options: {
        subject: () => 'ana',
        onVerified: () => undefined,
        session: {
          id: (req) => req.get('x-session'),
          rotate(req) {
            req.headers['x-session'] = fails ? undefined : 'after'
            if (fails) throw new Error('down')
          },
        },
      },
    })
    const [code = ''] = host.codes
    const ana = Object.assign(host.browser(), { always: { 'x-session': 'before' } })
    expect((await recover(ana, code)).json.code).toBe('session_unavailable')
    fails = false
    expect((await recover(ana, code)).json).toMatchObject({ verified: true })
  })

  it('is finished by another process when the first died after it was used up', async () => {
    const store = memoryStore()
    const sessionStore = new MemoryStore()
    const rotate = () => new Promise<void>(() => undefined)
    const dying = await startRecoveryHost({
      sessionStore,
      options: { store, session: { ...expressSession(), rotate } },
    })
    const ana = await dying.login()
    const [code = ''] = dying.codes
    void recover(ana, code).catch(() => undefined)
    while (dying.kept.size === 10 || dying.events.length === 0)
      await new Promise((resolve) => setImmediate(resolve))
    const living = await startRecoveryHost({ sessionStore, options: { store } })
    living.kept.clear()
    const same = Object.assign(living.browser(), { cookies: ana.cookies })
    expect((await recover(same, code)).json.code).toBe('verification_in_progress')
    living.clock.now += 10 * second
    expect((await recover(same, code)).status).toBe(200)
    expect((await same.get('/account')).status).toBe(200)
  })

  it.each<[string, (host: RecoveryHost, ana: Browser) => unknown]>([
    [
      'ten minutes later',
      (host) => {
        host.clock.now += 10 * minute
      },
    ],
    ['after a logout', (_host, ana) => ana.post('/logout')],
    ['after everything of the subject was revoked', (host) => host.tf.subjects.revokeEverything('ana')],
  ])('is not finished %s', async (_when, happens) => {
    let fails = true
    const host = await startRecoveryHost({
      options: {
        onVerified() {
          if (fails) throw new Error('the accounts are away')
        },
      },
      mount: (app, tf) => {
        app.post('/logout', async (req, res) => {
          await tf.grants.revoke(req)
          res.json({})
        })
      },
    })
    const [code = ''] = host.codes
    const ana = await host.login()
    expect((await recover(ana, code)).status).toBe(500)
    fails = false
    await happens(host, ana)
    if ((await ana.get('/account')).status === 401) await ana.post('/login', { user: 'ana' })
    expect((await recover(ana, code)).status).toBe(422)
    expect((await ana.get('/account')).status).toBe(403)
  })

  it('gives nothing when everything of the subject is revoked while it is checked', async () => {
    let host: RecoveryHost
    host = await startRecoveryHost({
      consume: async (consumed) => {
        const isThere = consumed()
        await host.tf.subjects.revokeEverything('ana')
        return isThere
      },
    })
    const ana = await host.login()
    expect((await recover(ana, host.codes[0])).json.code).toBe('challenge_gone')
    expect((await ana.get('/account')).status).toBe(403)
  })
})
