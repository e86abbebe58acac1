import { describe, expect, it } from 'vitest'
import type { Browser } from './browser.js'
import {
  gate,
  type Host,
  phones,
  renewedThrough,
  sessionIdOf,
  signupAt,
  startChallenged,
  startHost,
  startSignedIn,
  storeThrough,
} from './kit.js'
import { recover, startRecoveryHost } from './recovery-kit.js'

/** A place in a function of the host where a request can be held once it is armed. */
function hold() {
  const [reached, released] = [gate(), gate()]
  let isArmed = false
  return {
    async here() {
      if (!isArmed) return
      isArmed = false
      reached.open()
      await released.opened
    },
    /** Begins something, and ends with what came of it after the revocation. */
    async during<Result>(begin: () => Promise<Result>, revoke: () => Promise<unknown>): Promise<Result> {
      isArmed = true
      const begun = begin()
      await reached.opened
      await revoke()
      released.open()
      return begun
    },
  }
}

type Hold = ReturnType<typeof hold>
const trustedDevices = { maxAgeMs: 86_400_000 }
const slowPhone = (held: Hold) => ({
  phone: async (_req: unknown, subject: string) => {
    await held.here()
    return phones[subject]
  },
})
const slowRenewal = (held: Hold) => ({
  session: renewedThrough(async (renew) => {
    await renew()
    await held.here()
  }),
})

interface Race {
  readonly host: (held: Hold) => Promise<Host & { readonly codes?: readonly string[] }>
  /** Somebody who is about to do it. */
  readonly ready: (host: Host) => Promise<Browser>
  readonly begin: (ana: Browser, host: Host & { readonly codes?: readonly string[] }) => Promise<unknown>
  /** What would use what was begun. */
  readonly after?: (ana: Browser, host: Host) => Promise<unknown>
}

const verify = (ana: Browser, host: Host) => ana.verify(host.stub.rightCode)
const challenged = (host: Host) => host.challenged()
const login = (host: Host) => host.login()

const races: Readonly<Record<string, Race>> = {
  'a check, while the host looks for the number': {
    host: (held) => startHost({ options: slowPhone(held) }),
    ready: challenged,
    begin: verify,
  },
  'a resend, while the host looks for the number': {
    host: (held) => startHost({ options: slowPhone(held) }),
    async ready(host) {
      const ana = await host.challenged()
      host.clock.now += 61_000
      return ana
    },
    begin: (ana) => ana.post('/two-factor/resend', {}),
    after: verify,
  },
  'a start, while `beforeSend` decides': {
    host: (held) =>
      startHost({
        options: {
          beforeSend: async () => {
            await held.here()
            return true
          },
        },
      }),
    ready: login,
    begin: (ana) => ana.start(),
    after: verify,
  },
  'a recovery code, while the host looks for the number': {
    host: (held) => startRecoveryHost({ options: slowPhone(held) }),
    ready: login,
    begin: (ana, { codes }) => recover(ana, codes?.[0]),
  },
  'a recovery code, while it is consumed': {
    host: (held) =>
      startRecoveryHost({
        consume: async (consumed) => {
          await held.here()
          return consumed()
        },
      }),
    ready: login,
    begin: (ana, { codes }) => recover(ana, codes?.[0]),
  },
  'a sign-in that trusts its browser, in `onVerified`': {
    host: (held) =>
      startHost({
        options: {
          trustedDevices,
          onVerified: async (req, _res, grant) => {
            await held.here()
            req.session.userId = grant.subject
          },
        },
      }),
    ready: challenged,
    begin: (ana, host) => ana.verify(host.stub.rightCode, { trustDevice: true }),
  },
  'a trusted browser that stands in, while the session is renewed': {
    host: (held) => startHost({ options: { trustedDevices, ...slowRenewal(held) } }),
    async ready(host) {
      const ana = await host.challenged()
      await ana.verify(host.stub.rightCode, { trustDevice: true })
      await ana.post('/login', { user: 'ana' })
      return ana
    },
    begin: (ana) => ana.start(),
  },
  'a number that is proven, while the session is renewed': {
    host: (held) => startHost({ options: slowRenewal(held), mount: signupAt('/phone') }),
    async ready(host) {
      const ana = await host.signIn()
      await ana.post('/phone/start', { phone: '+573009999999' })
      return ana
    },
    begin: (ana, host) => ana.post('/phone/verify', { code: host.stub.rightCode }),
  },
}

const revocations: Readonly<Record<string, (host: Host) => Promise<unknown>>> = {
  revokeSubject: ({ tf }) => tf.grants.revokeSubject('ana'),
  revokeEverything: ({ tf }) => tf.subjects.revokeEverything('ana'),
}

describe.for(Object.entries(revocations))('%s', ([how, revoke]) => {
  it.for(Object.entries(races))('ends %s', async ([, { host: start, ready, begin, after }]) => {
    const held = hold()
    const host = await start(held)
    const ana = await ready(host)
    await held.during(
      () => begin(ana, host),
      () => revoke(host),
    )
    await after?.(ana, host)
    expect((await ana.get('/account')).status).toBeGreaterThanOrEqual(401)
    expect((await ana.post('/signup')).status).toBeGreaterThanOrEqual(401)
    // Of trusted browsers the other one says nothing.
    if (how === 'revokeEverything') expect(await host.tf.trustedDevices.list('ana')).toEqual([])
  })
})

describe('a revocation of a session that is renewed for a number that is proven', () => {
  it('leaves no proof behind, however many others log out before that would have ended', async () => {
    const held = hold()
    const session = renewedThrough(async (renew) => {
      await held.here()
      await renew()
    })
    const { host, ana } = await startSignedIn({
      options: { session },
      mount: (app, tf) => {
        signupAt('/phone')(app, tf)
        app.post('/revoke', (req, res) => tf.grants.revoke(req).then(() => res.json({})))
      },
    })
    await ana.post('/phone/start', { phone: '+573009999999' })
    const proving = await held.during(
      () => ana.post('/phone/verify', { code: host.stub.rightCode }),
      () => ana.copy().post('/revoke'),
    )
    expect(proving.refusal).toEqual([410, 'challenge_gone'])
    for (let others = 0; others < 20; others += 1) await (await host.login()).post('/logout')
    expect((await ana.post('/signup')).status).toBe(403)
  })
})

describe('revokeEverything', () => {
  it('leaves a trusted browser nothing between its steps', async () => {
    const held = hold()
    const store = storeThrough(async (command, key, work) => {
      if (command === 'swap' && key.includes(':devices:')) await held.here()
      return work()
    })
    const { host, ana } = await startChallenged({ options: { store, trustedDevices } })
    await ana.verify(host.stub.rightCode, { trustDevice: true })
    await ana.post('/login', { user: 'ana' })
    await held.during(
      () => host.tf.subjects.revokeEverything('ana'),
      async () => expect((await ana.start()).status).toBe(201),
    )
    expect((await ana.get('/account')).status).toBe(403)
  })

  it('refuses the grant that the host is writing', async () => {
    const held = hold()
    const store = storeThrough(async (command, key, work) => {
      if (command === 'swap' && key.includes(':grants:')) await held.here()
      return work()
    })
    const { host, ana } = await startSignedIn({ options: { store } })
    const grant = { subject: 'ana', session: sessionIdOf(ana), purpose: 'login' }
    const written = await held.during(
      () => host.tf.grants.write(grant).catch((error: unknown) => error),
      () => host.tf.subjects.revokeEverything('ana'),
    )
    expect(written).toMatchObject({ code: 'challenge_gone' })
    expect((await ana.get('/account')).status).toBe(403)
  })
})

describe('a store that fails once, while the session cannot be renewed again', () => {
  /** The second renewal, with which a failed success is abandoned, fails too. */
  function failing(isHit: (command: string, key: string) => boolean) {
    const state = { isArmed: false, renewals: 0 }
    const store = storeThrough((command, key, work) => {
      if (!state.isArmed || !isHit(command, key)) return work()
      state.isArmed = false
      return Promise.reject(new Error('connection lost'))
    })
    const session = renewedThrough((renew) => {
      if (state.isArmed || state.renewals > 0) state.renewals += 1
      return state.renewals === 2 ? Promise.reject(new Error('down')) : renew()
    })
    return { state, options: { store, session } }
  }
  const readsOfGrants = (command: string, key: string) => command === 'read' && key.includes(':grants:')

  it('leaves no grant behind a 503', async () => {
    const { state, options } = failing(readsOfGrants)
    const { host, ana } = await startChallenged({
      options: {
        ...options,
        trustedDevices,
        onVerified(req, _res, grant) {
          state.isArmed = true
          state.renewals = 1
          req.session.userId = grant.subject
        },
      },
    })
    expect((await ana.verify(host.stub.rightCode, { trustDevice: true })).status).toBe(503)
    expect((await ana.get('/account')).status).toBe(403)
  })

  it('leaves no proven number behind a 503', async () => {
    let reads = 0
    const { state, options } = failing((command, key) => {
      if (!readsOfGrants(command, key)) return false
      reads += 1
      // Asked for the last time once the number is proven.
      return reads === 4
    })
    const { host, ana } = await startSignedIn({ options, mount: signupAt('/phone') })
    await ana.post('/phone/start', { phone: '+573009999999' })
    state.isArmed = true
    expect((await ana.post('/phone/verify', { code: host.stub.rightCode })).status).toBe(503)
    state.isArmed = false
    expect((await ana.post('/signup')).status).toBe(403)
  })
})
