import { MemoryStore } from 'express-session'
import { describe, expect, it } from 'vitest'
import { memoryStore, type Store } from '../../src/index.js'
import type { Browser } from './browser.js'
import { type RecoveryHost, recover, startRecoveryHost } from './recovery-kit.js'

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

/** Whoever did not get in by one code gets in by the next. */
async function expectInByAnother(host: RecoveryHost, ana: Browser, where: string): Promise<void> {
  const told = await recover(ana, host.codes[1])
  expect([where, told.status, told.json]).toMatchObject([where, 200, { verified: true }])
}

/** What was used up opens nothing more, for its owner neither. */
async function expectUsedUp(host: RecoveryHost, code: string | undefined, where: string): Promise<void> {
  for (const browser of [await host.login(), await host.login('ben')]) {
    expect([where, (await recover(browser, code)).status]).toEqual([where, 422])
  }
}

describe('a recovery code', () => {
  it.each<Fault>(['refuses', 'does it and loses the answer', 'does it late', 'stays down'])(
    'lets nobody in and opens nothing later when the store %s at any step',
    async (fault) => {
      let steps = 0
      for (let nth = 1; ; nth += 1) {
        const faulty = faultyStore()
        const options = { store: faulty.store, limits: { storeTimeoutMs: 20 } }
        const host = await startRecoveryHost({ options })
        const ana = await host.login()
        faulty.arm(nth, fault)
        const told = await recover(ana, host.codes[0])
        const wasHit = faulty.heal() > 0
        const where = `${fault} at command ${nth}: ${told.status}`
        if (told.status !== 200) {
          expect([where, told.status]).toEqual([where, 503])
          expect([where, (await ana.get('/account')).status]).toEqual([where, 403])
          await expectInByAnother(host, ana, where)
        }
        expect([where, (await ana.get('/account')).status]).toEqual([where, 200])
        if (told.status === 200 || host.kept.size === 8) await expectUsedUp(host, host.codes[0], where)
        if (!wasHit) break
        steps = nth
      }
      expect(steps).toBeGreaterThan(3)
    },
  )

  it.each(['destroy', 'set'] as const)('lets nobody in when the session store fails at %s', async (verb) => {
    const sessionStore = new MemoryStore()
    const host = await startRecoveryHost({ sessionStore })
    const ana = await host.login()
    const well = sessionStore[verb].bind(sessionStore) as (...args: unknown[]) => void
    sessionStore[verb] = ((...args: unknown[]) => {
      sessionStore[verb] = well as never
      ;(args.at(-1) as (error: Error) => void)(new Error('down'))
    }) as never
    const told = await recover(ana, host.codes[0])
    expect([told.status, told.json.code]).toEqual([503, 'session_unavailable'])
    // express-session forgets who it was about when it cannot destroy the old one: the password comes first.
    expect((await ana.get('/account')).status).toBe(verb === 'destroy' ? 401 : 403)
    if (verb === 'destroy') await ana.post('/login', { user: 'ana' })
    await expectUsedUp(host, host.codes[0], verb)
    await expectInByAnother(host, ana, verb)
  })

  it('leaves no grant behind when onVerified throws, and is used up', async () => {
    let fails = true
    const host = await startRecoveryHost({
      options: {
        onVerified() {
          if (fails) throw new Error('the accounts are away')
        },
      },
    })
    const ana = await host.login()
    expect((await recover(ana, host.codes[0])).status).toBe(500)
    expect((await ana.get('/account')).status).toBe(403)
    fails = false
    expect((await recover(ana, host.codes[0])).status).toBe(422)
    await expectUsedUp(host, host.codes[0], 'onVerified')
    await expectInByAnother(host, ana, 'onVerified')
    expect(host.events.filter(({ type }) => type === 'recovery.used')).toHaveLength(2)
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
