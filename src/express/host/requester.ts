import type { Request, Response } from 'express'
import { TwoFactorError } from '../../errors.js'
import { isThenable } from '../../lib/awaitable.js'
import { adapterFunction } from './boundary.js'
import type { SessionAdapter } from './session.js'
import type { Warn } from './warnings.js'

/** Returns the account that is signing in or signed in; null or undefined when there is none. */
export type SubjectOf = (req: Request) => SubjectName | null | undefined
export type SubjectName = string | number | bigint

const maxSubjectLength = 256

/** The subject as a string. Throws a TypeError for a value that cannot identify one. */
export function subjectText(name: SubjectName): string {
  if (typeof name === 'number' && !Number.isSafeInteger(name))
    throw wrongSubject('a number that is not a safe integer')
  if (typeof name !== 'string' && typeof name !== 'number' && typeof name !== 'bigint') {
    throw wrongSubject(
      isThenable(name)
        ? 'a promise; it must be synchronous, because the guard calls it on every request'
        : `a value of type ${typeof name}`,
    )
  }
  const subject = String(name)
  if (subject.length === 0 || subject.length > maxSubjectLength)
    throw wrongSubject(`a string of ${subject.length} characters`)
  return subject
}

/** The subject of this request, or undefined. */
export function readSubject(subjectOf: SubjectOf, req: Request): string | undefined {
  const name = subjectOf(req)
  return name === null || name === undefined ? undefined : subjectText(name)
}

function wrongSubject(what: string): TypeError {
  return new TypeError(
    `subject returned ${what}; it must return a string of 1 to ${maxSubjectLength} characters, a safe integer, a bigint, null or undefined`,
  )
}

/** Far more than a browser has open at once to one site. */
const maxPerSession = 16

/** The host's sessions, by an adapter that may take a promise for an id. */
export type Sessions = ReturnType<typeof createSessions>

/** A TwoFactorError of the adapter stays ours: adapters throw it when there is no session. */
export function createSessions(adapter: SessionAdapter, timeoutMs: number, warn: Warn) {
  /** Made for the first id that takes a promise: most adapters never give one. */
  let awaited: WeakMap<Request, string | undefined> | undefined
  /** The members that a first id has put into the session. */
  const tentative = new WeakMap<Request, readonly string[]>()
  /** How many requests of each session this process is working on: no more sessions than requests. */
  const inFlight = new Map<string, number>()
  const within = (name: 'id' | 'keep' | 'rotate') => ({ name: `session.${name}`, timeoutMs })
  const keep = adapterFunction((req: Request, res: Response) => adapter.keep?.(req, res), within('keep'))
  const rotate = adapterFunction((req: Request, res: Response) => adapter.rotate(req, res), within('rotate'))
  const ask = adapterFunction(
    (req: Request) => {
      try {
        return adapter.id(req)
      } catch (error) {
        if (error instanceof TypeError) warn('TWO_FACTOR_NO_SESSION')
        throw error
      }
    },
    { ...within('id'), requestOf: (req) => req },
  )

  /**
   * Reads an id that takes a promise, so that `find` and `idOf` need none; asked first, and again after a
   * renewal. Undefined when there is nothing to wait for. Throws what keeps this host from having sessions at all.
   */
  function open(req: Request): Promise<void> | undefined {
    awaited?.delete(req)
    const id = idIfAny(req)
    if (!(id instanceof Promise)) return undefined
    awaited ??= new WeakMap()
    const ids = awaited
    return id.then((found) => void ids.set(req, found))
  }

  /** A request without the token that it needs is refused where its session is asked for, not before. */
  function idIfAny(req: Request): ReturnType<typeof ask> {
    try {
      return ask(req)
    } catch (error) {
      if (error instanceof TwoFactorError) return undefined
      throw error
    }
  }

  /** The session's id, when the request has one. */
  function find(req: Request): string | undefined {
    if (awaited?.has(req)) return awaited.get(req)
    const id = ask(req)
    return id instanceof Promise ? undefined : id
  }

  /** Sessions without an id of their own get one when they are kept for the first time. */
  function firstId(req: Request): string | undefined {
    const before = new Set(Object.keys(dataOf(req)))
    // A session that could not be saved is lost; the next request gets a new id.
    keep(req, req.res as Response)?.catch(() => undefined)
    tentative.set(
      req,
      Object.keys(dataOf(req)).filter((name) => !before.has(name)),
    )
    return find(req)
  }

  return {
    open,
    find,
    /** The session's id. Throws `session_unavailable` without one: a proof must belong to a session. */
    idOf(req: Request): string {
      const id = find(req) ?? firstId(req)
      if (typeof id === 'string' && id !== '') return id
      warn('TWO_FACTOR_NO_SESSION')
      throw new TwoFactorError('session_unavailable', { message: 'This request has no session.' })
    },
    /** Gives the session a new id, which `idOf` returns from then on. */
    async rotate(req: Request, res: Response): Promise<void> {
      tentative.delete(req)
      await rotate(req, res)
      await open(req)
    },
    /** Makes an anonymous session be saved. */
    async keep(req: Request, res: Response): Promise<void> {
      tentative.delete(req)
      await keep(req, res)
    },
    /** Takes a first id back that `idOf` has made and nobody has kept: a refused request leaves no session behind. */
    release(req: Request): void {
      for (const name of tentative.get(req) ?? []) Reflect.deleteProperty(dataOf(req), name)
    },
    /** Ends the session for the rest of the request: it is not saved, and no cookie of it goes out. */
    drop(req: Request): void {
      // What express-session and cookie-session take for the end of a session.
      Reflect.set(req, 'session', null)
    },
    /** Counts a request of this session (id) until what it returns is called; undefined when there are too many. */
    enter(session: string | undefined): (() => void) | undefined {
      // Each request without a session is alone in its own.
      if (session === undefined) return () => undefined
      const before = inFlight.get(session) ?? 0
      // Denial of service: requests that wait for the host must not fill the memory from one session.
      if (before >= maxPerSession) return undefined
      inFlight.set(session, before + 1)
      return () => {
        const left = (inFlight.get(session) ?? 1) - 1
        if (left === 0) inFlight.delete(session)
        else inFlight.set(session, left)
      }
    },
    bearer: adapter.bearer === true,
  }
}

/** The session's data, where the library keeps it as most do. */
function dataOf(req: Request): object {
  return (req as Request & { session?: object | null }).session ?? {}
}

/** Who makes the request, in which session. */
export interface Requester {
  readonly subject: string
  readonly session: string
}

/** Undefined for an anonymous request. Asked after `Sessions.open`. */
export type Identify = (req: Request) => Requester | undefined

export function createIdentify(subjectOf: SubjectOf, sessions: Sessions) {
  const identify: Identify = (req) => {
    const subject = readSubject(subjectOf, req)
    return subject === undefined ? undefined : { subject, session: sessions.idOf(req) }
  }
  return {
    identify,
    /** The same where nobody has opened the session yet. */
    async identifyLater(req: Request): Promise<Requester | undefined> {
      const subject = readSubject(subjectOf, req)
      if (subject === undefined) return undefined
      await sessions.open(req)
      return { subject, session: sessions.idOf(req) }
    },
  }
}

/** Throws `not_identified` for an anonymous request. */
export function identified(identify: Identify, req: Request): Requester {
  const requester = identify(req)
  if (requester === undefined) throw new TwoFactorError('not_identified')
  return requester
}
