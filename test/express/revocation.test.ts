import { describe, expect, it } from 'vitest'
import { figure } from '../prove/figure.js'
import type { Browser } from './browser.js'
import {
  anasToken,
  gate,
  type Host,
  type HostOptions,
  phones,
  renewedThrough,
  sessionIdOf,
  signupAt,
  startChallenged,
  startHost,
  startSignedIn,
  storeThrough,
  usualRoutes,
  withCookies,
  withTokens,
} from './kit.js'
import { recover, startRecoveryHost } from './recovery-kit.js'

/** Hosts by what keeps their sessions, and how Ana comes to one. */
const setUps: Readonly<Record<string, readonly [HostOptions, (host: Host) => Promise<Browser>]>> = {
  'express-session': [{}, (host) => host.login()],
  'cookie-session': [withCookies, (host) => host.login()],
  'bearer tokens': [{ ...withTokens(), routes: usualRoutes }, async (host) => host.browser(anasToken)],
}

const endings: Readonly<Record<string, (host: Host, browser: Browser) => Promise<unknown>>> = {
  'a logout': (_host, browser) => browser.post('/sign-out'),
  revokeSubject: (host) => host.tf.grants.revokeSubject('ana'),
}

/** A logout as each library has it. */
const withLogout = (given: HostOptions): HostOptions => ({
  ...given,
  mount: (app, tf) =>
    app.post('/sign-out', async (req, res) => {
      await tf.grants.revoke(req)
      if (typeof req.session?.destroy === 'function') req.session.destroy(() => res.json({}))
      else res.json({})
    }),
})

describe.for(Object.entries(setUps))('with %s', ([, [given, enter]]) => {
  it.for(Object.entries(endings))('%s while the code is being checked lets nobody in', async ([how, end]) => {
    const host = await startHost(withLogout(given))
    const ana = await enter(host)
    expect((await ana.start()).status).toBe(201)
    const [other, old] = [ana.copy(), ana.copy()]
    host.whileChecked(() => end(host, other))
    expect((await ana.verify(host.stub.rightCode)).refusal).toEqual([410, 'challenge_gone'])
    const after = await Promise.all([ana, other, old].map((browser) => browser.get('/account')))
    const letIn = after.filter(({ status }) => status < 401).length
    figure(16, `${letIn} of ${after.length} copies of a session let in after ${how} during a check`)
    expect(letIn).toBe(0)
  })
})

describe.for(Object.entries(endings))('%s before the code is typed', ([, end]) => {
  it('ends the challenge', async () => {
    const host = await startHost(withLogout({}))
    const ana = await host.challenged()
    await end(host, ana.copy())
    for (const told of [await ana.verify(host.stub.rightCode), await ana.post('/two-factor/resend', {})]) {
      expect([401, 410]).toContain(told.status)
    }
    expect((await ana.get('/two-factor')).json.challenge ?? null).toBeNull()
    expect(host.stub.checks).toEqual([])
  })
})

it('a sign-in after a revocation succeeds, even in that millisecond', async () => {
  const host = await startHost()
  await host.tf.grants.revokeSubject('ana')
  const ana = await host.signIn()
  expect((await ana.get('/account')).status).toBe(200)
})

it('challenges without a request end with a revocation, checks that were under way too', async () => {
  const host = await startHost()
  const who = { subject: 'ana', session: 's1', phone: '+573001234567' }
  const verify = () => host.tf.challenges.verify({ ...who, code: host.stub.rightCode })
  await host.tf.challenges.start({ ...who, purpose: 'login' })
  await host.tf.grants.revokeSubject('ana')
  expect(await verify()).toMatchObject({ code: 'challenge_gone' })
  host.clock.now += 60_000
  await host.tf.challenges.start({ ...who, purpose: 'login' })
  host.whileChecked(() => host.tf.grants.revokeSubject('ana'))
  expect(await verify()).toMatchObject({ code: 'challenge_gone' })
  expect(host.stub.checks).toHaveLength(1)
})

it('a proof of a number that a signed-in person gave is neither redeemed nor shown after a revocation', async () => {
  const { host, ana } = await startSignedIn({ mount: signupAt('/phone') })
  await ana.post('/phone/start', { phone: '+573009999999' })
  expect((await ana.post('/phone/verify', { code: host.stub.rightCode })).status).toBe(200)
  expect((await ana.open('/phone')).text).not.toContain('name="phone"')
  await host.tf.grants.revokeSubject('ana')
  expect((await ana.open('/phone')).text).toContain('name="phone"')
  // A hijacked session must not put its own number on file in the half hour that a proof lasts.
  host.clock.now += 30 * 60_000 - 1
  expect((await ana.post('/signup')).status).toBe(403)
})

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

/** A store whose writes of these entries wait. */
const storeHolding = (held: Hold, entries: string) =>
  storeThrough(async (command, key, work) => {
    if (command === 'swap' && key.includes(entries)) await held.here()
    return work()
  })
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

it('revokeSubject leaves no trust behind that a sign-in was about to give', async () => {
  const held = hold()
  const onVerified = () => held.here()
  const { host, ana } = await startChallenged({ options: { trustedDevices, onVerified } })
  const verified = await held.during(
    () => ana.verify(host.stub.rightCode, { trustDevice: true }),
    () => host.tf.grants.revokeSubject('ana'),
  )
  expect(verified.refusal).toEqual([410, 'challenge_gone'])
  expect(await host.tf.trustedDevices.list('ana')).toEqual([])
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
  it('ends grants, live challenges, known browsers and trusted devices of one subject', async () => {
    const host = await startHost({ options: { trustedDevices } })
    const here = await host.login()
    await host.confirm(here, {}, { trustDevice: true })
    const ben = await host.signIn('ben')
    const there = await host.challenged()
    await host.tf.subjects.revokeEverything('ana')
    expect((await here.get('/account')).status).toBe(403)
    expect((await there.verify(host.stub.rightCode)).status).toBe(410)
    expect(await host.tf.trustedDevices.list('ana')).toEqual([])
    expect((await ben.get('/account')).status).toBe(200)
  })

  it('leaves a trusted browser nothing between its steps', async () => {
    const held = hold()
    const store = storeHolding(held, ':devices:')
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
    const store = storeHolding(held, ':grants:')
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
