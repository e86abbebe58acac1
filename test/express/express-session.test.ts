import type { Request, Response } from 'express'
import { describe, expect, it } from 'vitest'
import { expressSession, TwoFactorError, tokenSession } from '../../src/index.js'

type Done = (error?: unknown) => void
interface FakeSession {
  readonly id: string
  readonly cookie: { originalMaxAge?: number | null | undefined; maxAge?: number | null }
  regenerate(done: Done): void
  save(done: Done): void
  [data: string]: unknown
}

const res = {} as Response

/** A request as express-session leaves it, whose session becomes `next` when it is renewed. */
function renewing(from: Partial<FakeSession>, next: Partial<FakeSession> | null | undefined) {
  const saved: unknown[] = []
  const fields = (given: Partial<FakeSession>): FakeSession => ({
    id: 'old',
    cookie: {},
    regenerate(done) {
      req.session = next && fields(next)
      done()
    },
    save(done) {
      saved.push(req.session)
      done()
    },
    ...given,
  })
  const req = { headers: {}, session: undefined as FakeSession | null | undefined }
  req.session = fields(from)
  return { req, saved, regenerate: async () => adapter.regenerate(req as unknown as Request, res) }
}

const adapter = expressSession()
const unavailable = expect.objectContaining({ code: 'session_unavailable' })

describe('the id of an express-session', () => {
  const idOf = (req: object) => adapter.id(req as Request)

  it('belongs to the session, and is absent after a logout in that request', () => {
    expect(idOf({ session: { id: 'a', regenerate() {} } })).toBe('a')
    expect(idOf({ session: null })).toBeUndefined()
    expect(idOf({ sessionStore: {} })).toBeUndefined()
  })

  it('is reported as missing without a mounted session, with the line to write', () => {
    expect(() => idOf({})).toThrow(
      /^This request has no session\. Mount one before tf\.routes\(\) and every guard: app\.use\(session\(/,
    )
  })
})

describe('renewing an express-session', () => {
  it.each<[string, Partial<FakeSession> | null | undefined]>([
    ['leaves none', undefined],
    ['leaves null', null],
    ['leaves the same id (session fixation)', { id: 'old' }],
  ])('is refused when it %s, and nothing is saved', async (_name, next) => {
    const { saved, regenerate } = renewing({ basket: 'three apples' }, next)
    await expect(regenerate()).rejects.toEqual(unavailable)
    expect(saved).toEqual([])
  })

  it.each([undefined, null])('is refused where it is %s', async (session) => {
    const rotated = async () => adapter.regenerate({ headers: {}, session } as unknown as Request, res)
    await expect(rotated()).rejects.toBeInstanceOf(TwoFactorError)
    await expect(rotated()).rejects.toEqual(unavailable)
  })

  it.each([
    ['a browser session stays one', null, { maxAge: null }],
    ['a month stays a month', 2_592_000_000, { maxAge: 2_592_000_000 }],
    ['what the library does not say is left alone', undefined, {}],
  ])('keeps how long it is remembered: %s', async (_name, originalMaxAge, cookie) => {
    const { req, regenerate } = renewing({ cookie: { originalMaxAge } }, { id: 'new', cookie: {} })
    await regenerate()
    expect(req.session?.cookie).toStrictEqual(cookie)
  })

  it.each<[string, string | undefined, boolean]>([
    ['came with it', 'theme=dark; connect.sid=s%3Aold.mac; lang=en', true],
    ['came with it in a cookie all of percent-encoding', 'connect.sid=%73%3A%6F%6C%64%2Emac', true],
    ['came with it in a cookie that is no percent-encoding', 'connect.sid=s:old.mac%', true],
    ['came with another', 'theme=dark; connect.sid=s%3Aother.mac', false],
    ['came with none', undefined, false],
  ])('asks the store for the session only when the request %s', async (_name, cookie, asks) => {
    const { req, saved, regenerate } = renewing({}, { id: 'new' })
    const asked: string[] = []
    Object.assign(req, {
      headers: { cookie },
      sessionStore: {
        get(id: string, done: Done) {
          asked.push(id)
          done(null)
        },
      },
    })
    const rotated = regenerate()
    // The store has it no more: a logout came meanwhile.
    await (asks ? expect(rotated).rejects.toEqual(unavailable) : rotated)
    expect([asked, saved.length]).toEqual(asks ? [['old'], 0] : [[], 1])
  })
})

it('an adapter for bearer tokens is checked when it is made', () => {
  expect(() => tokenSession(undefined as never)).toThrow('tokenSession: missing idOf')
  expect(() => tokenSession('sub' as never)).toThrow('tokenSession: idOf must be a function (req) => id')
})
