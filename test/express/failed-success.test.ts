import { setTimeout, setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Request, Response } from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Grant, TwoFactorOptions } from '../../src/index.js'
import {
  anasToken,
  deviceCookies,
  failingStore,
  gate,
  type Host,
  renewedThrough,
  sessionByHeader,
  signupAt,
  startChallenged,
  startHost,
  startLoggedIn,
  startVisit,
  storeThrough,
  withTokens,
} from './kit.js'

/** express-session, whose nth renewal does something else when told so. */
function counted(instead: (nth: number) => Promise<void> | undefined = () => undefined) {
  const renewals: number[] = []
  const session = renewedThrough((renew) => {
    renewals.push(renewals.length + 1)
    return instead(renewals.length) ?? renew()
  })
  return { session, renewals }
}

async function verify(host: Host, more: object = {}) {
  const ana = await host.challenged()
  const old = ana.copy()
  const told = await ana.verify(host.stub.rightCode, more)
  return { ana, old, told }
}

describe('a sign-in whose grant cannot be stored', () => {
  it.each<[string, (nth: number) => Promise<void> | undefined]>([
    ['is given up', () => undefined],
    ['cannot be given up', (nth) => (nth === 2 ? Promise.reject(new Error('down')) : undefined)],
    ['never says whether it is given up', (nth) => (nth === 2 ? new Promise(() => undefined) : undefined)],
  ])('is refused, trusts no browser, and its session %s', async (_name, instead) => {
    const { store: failing, arm } = failingStore('grants')
    // The browser is still being written when the grant fails.
    const written: unknown[] = []
    const store = storeThrough((command, key, work) => {
      if (command !== 'swap' || !key.includes(':devices:')) return work()
      const swapped = setTimeout(20).then(work)
      written.push(swapped)
      return swapped
    }, failing)
    const { session, renewals } = counted(instead)
    const trustedDevices = { maxAgeMs: 60_000 }
    const { host, ana } = await startChallenged({ options: { store, session, trustedDevices } })
    arm()
    const told = await ana.verify(host.stub.rightCode, { trustDevice: true })
    expect(told.refusal).toEqual([503, 'store_unavailable'])
    // What a frozen store writes later ends up under an id that was never issued.
    expect(renewals).toEqual([1, 2])
    expect(deviceCookies(ana)).toEqual([])
    await Promise.all(written)
    expect(await host.tf.trustedDevices.list('ana')).toEqual([])
  })
})

describe('a sign-in that fails after its grant was stored', () => {
  it.each([undefined, false] as const)(
    'renews the session no second time where the grant can be taken back, with knownBrowsers %s',
    async (knownBrowsers) => {
      const { session, renewals } = counted()
      const onVerified = () => Promise.reject(new Error('no such account'))
      const options = { session, onVerified, ...(knownBrowsers === false && { knownBrowsers }) }
      const { ana, told } = await verify(await startHost({ options }))
      expect([told.json, renewals]).toEqual([{ host: 'no such account' }, [1]])
      expect((await ana.get('/account')).status).toBe(403)
    },
  )

  it('gives its session up where the grant cannot be taken back', async () => {
    const { store, arm } = failingStore('grants')
    const { session, renewals } = counted()
    const onVerified = () => {
      arm()
      throw new Error('no such account')
    }
    const { told } = await verify(await startHost({ options: { store, session, onVerified } }))
    expect([told.json, renewals]).toEqual([{ host: 'no such account' }, [1, 2]])
  })

  it('leaves no grant where neither trust can be taken back nor the session be given up', async () => {
    const { store, arm } = failingStore('devices')
    const { session } = counted((nth) => (nth === 2 ? Promise.reject(new Error('down')) : undefined))
    const onVerified = () => {
      arm()
      throw new Error('no such account')
    }
    const options = { store, session, trustedDevices: { maxAgeMs: 86_400_000 }, onVerified }
    const { ana, told } = await verify(await startHost({ options }), { trustDevice: true })
    expect(told.json).toEqual({ host: 'no such account' })
    arm(false)
    expect((await ana.get('/account')).status).toBe(403)
  })

  it('is refused if the pending data of the session cannot be moved', async () => {
    const { store, arm } = failingStore('enrolment')
    const { host, ana } = await startLoggedIn({ options: { store }, mount: signupAt('/phone') })
    await ana.post('/phone/start', { phone: '+573009999999' })
    await ana.start()
    arm()
    expect((await ana.verify(host.stub.rightCode)).refusal).toEqual([503, 'store_unavailable'])
    expect((await ana.get('/account')).status).toBe(403)
  })

  it.each<[string, (req: Request, res: Response) => void, object]>([
    [
      'the id that the host has renewed itself',
      (req) => {
        req.headers['x-session'] = 'last'
        throw new Error('no such account')
      },
      { host: 'no such account' },
    ],
    [
      'the old id that the host has restored (session fixation)',
      (req) => {
        req.headers['x-session'] = 'before'
      },
      { status: 503, code: 'session_unavailable' },
    ],
    [
      'the id that the grant had moved to',
      (req, res) => {
        req.headers['x-session'] = 'last'
        res.status(403).json({ host: 'no such page' })
      },
      { host: 'no such page' },
    ],
  ])('leaves no grant under %s', async (_id, onVerified, told) => {
    const host = await startHost({ options: { subject: () => 'ana', session: sessionByHeader, onVerified } })
    const under = (id: string) => host.browser({ 'x-session': id })
    await under('before').start()
    expect((await under('before').verify(host.stub.rightCode)).json).toMatchObject(told)
    for (const id of ['before', 'after', 'last']) expect((await under(id).get('/account')).status).toBe(403)
  })
})

describe('an onVerified that answers in its own words', () => {
  const here = fileURLToPath(new URL('.', import.meta.url))
  /** Stands in for a template and for a file: it says that the account is suspended. */
  const own = 'failed-success.test.ts'
  const responding = (respond: (res: Response) => unknown) => ({
    options: {
      onVerified(req: Request, res: Response, grant: Grant) {
        req.session.userId = grant.subject
        respond(res)
      },
    },
  })

  it.each([
    [200, 200],
    [399, 200],
    [400, 403],
    [500, 403],
  ])('with %i leaves a guard that answers %i', async (status, guarded) => {
    const host = await startHost(responding((res) => res.status(status).json({ own: 'words' })))
    const { ana, told } = await verify(host)
    expect([told.status, told.json]).toEqual([status, { own: 'words' }])
    expect((await ana.get('/account')).status).toBe(guarded)
  })

  it.each<[string, (res: Response) => void]>([
    ['a file', (res) => res.status(403).type('text').sendFile(own, { root: here })],
    [
      'a template after a while',
      (res) => {
        res.status(403)
        void setTimeout(50).then(() => res.render(own))
      },
    ],
  ])('is waited for and lets nobody in when %s is still to come', async (_, respond) => {
    const host = await startHost(responding(respond))
    host.app.engine('ts', (_path, _options, done) => {
      void setTimeout(20).then(() => done(null, 'suspended'))
    })
    host.app.set('views', here)
    const { ana, told } = await verify(host)
    expect(told.status).toBe(403)
    expect(told.text).toMatch(/suspended/)
    expect((await ana.get('/account')).status).toBe(403)
    expect(host.errors).toEqual([])
  })

  it.each<[string, (res: Response) => void, isReported: boolean]>([
    ['a file', (res) => res.type('text').sendFile(own, { root: here }), false],
    ['a template that takes its time', (res) => res.render(own), true],
  ])('is too late with %s: the package has responded', async (_, respond, isReported) => {
    const host = await startHost(responding(respond))
    const thrown: unknown[] = []
    host.app.engine('ts', (_path, _options, done) => {
      void setTimeout(20)
        .then(() => done(null, 'suspended'))
        .catch((error: unknown) => thrown.push(error))
    })
    host.app.set('views', here)
    const { ana, told } = await verify(host)
    expect([told.status, told.json]).toMatchObject([200, { verified: true }])
    expect((await ana.get('/account')).status).toBe(200)
    const late = () => [...thrown, ...host.errors].map(String)
    // Express sends no file, and reports nothing, if the response had ended when it opened the file.
    if (isReported) await expect.poll(late).toHaveLength(1)
    for (const error of late()) expect(error).toContain('headers after they are sent')
  })

  it('is no success when it set a status of 404 and sends nothing for five seconds', async () => {
    const refused = gate()
    const { host, ana } = await startChallenged(
      responding((res) => {
        res.status(404)
        refused.open()
      }),
    )
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let isTold = false
    const verifying = ana.verify(host.stub.rightCode).finally(() => {
      isTold = true
    })
    await refused.opened
    // It begins to wait some turns of the event loop later.
    for (; !isTold; await turn()) vi.advanceTimersByTime(5_000)
    expect((await verifying).refusal).toEqual([410, 'challenge_gone'])
    expect((await ana.get('/account')).status).toBe(403)
  })

  it('is not taken for a refusal where the app gives every response a status of 404 at first', async () => {
    const session = renewedThrough((renew, res) => {
      res.status(404)
      return renew()
    })
    const { ana, told } = await verify(await startHost({ options: { session } }))
    expect([told.status, told.json.verified]).toEqual([200, true])
    expect((await ana.get('/account')).status).toBe(200)
    const onVerified: TwoFactorOptions['onVerified'] = (_req, res) => void res.json({ own: 'words' })
    const refused = await verify(await startHost({ options: { session, onVerified } }))
    expect([refused.told.status, (await refused.ana.get('/account')).status]).toEqual([404, 403])
  })
})

describe('while onVerified runs', () => {
  it('the host finds the grant in the renewed session', async () => {
    const found: unknown[] = []
    const onVerified: TwoFactorOptions['onVerified'] = async (req) => {
      found.push(await host.tf.grants.read(req, 'login'))
    }
    const host: Host = await startHost({ options: { onVerified } })
    expect((await verify(host)).told.status).toBe(200)
    expect(found).toMatchObject([{ subject: 'ana', purpose: 'login' }])
  })

  it('a bearer token whose session keeps its id cannot sign in', async () => {
    const statuses: number[] = []
    const account = async () => (await host.browser(anasToken).get('/account')).status
    const onVerified = async () => void statuses.push(await account())
    const host: Host = await startHost(withTokens({ onVerified }))
    const app = host.browser(anasToken)
    expect((await host.confirm(app)).status).toBe(200)
    expect([...statuses, await account()]).toEqual([401, 200])
  })
})

describe('a proof of a number', () => {
  const phone = '+573009999999'
  const mount = signupAt('/phone')

  it('that cannot be stored is refused, gives its session up and leaves nothing to redeem', async () => {
    const { store, arm } = failingStore('enrolment')
    const { session, renewals } = counted()
    const { host, visitor } = await startVisit({ options: { store, session }, mount })
    await visitor.post('/phone/start', { phone })
    arm()
    const told = await visitor.post('/phone/verify', { code: host.stub.rightCode })
    expect(told.refusal).toEqual([503, 'store_unavailable'])
    expect(renewals).toEqual([1, 2])
    expect((await visitor.post('/signup')).status).toBe(403)
  })
})
