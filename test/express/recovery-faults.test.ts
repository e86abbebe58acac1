import { describe, expect, it } from 'vitest'
import type { Browser } from './browser.js'
import { storeThrough } from './kit.js'
import { type RecoveryHost, recover, startRecoveryHost } from './recovery-kit.js'

type Fault = 'refuses' | 'does it and loses the answer' | 'does it late' | 'stays down'

/** A store whose nth command from now on goes wrong. */
function faultyStore() {
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
  const store = storeThrough((_command, _key, work) => {
    countdown -= 1
    return countdown <= 0 ? broken(work) : work()
  })
  return {
    store,
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
