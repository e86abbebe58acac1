import type { Request, RequestHandler, Response } from 'express'
import { TwoFactorError } from '../../errors.js'
import { noteGuarded } from '../guard/coverage.js'
import { isOurs, middleware } from '../host/boundary.js'
import { cameWith, namesSession } from '../host/session.js'
import type { Sessions } from '../host/sessions.js'
import type { Warnings } from '../host/warnings.js'
import type { PageView } from '../pages/page-view.js'
import { cookiesSetBy } from './cookie-headers.js'
import { isCrossSite, isRepeatable } from './origin.js'
import { type Problem, problemOf, tooManyAtOnce } from './problems.js'
import { isReloadedForm, sameAddress } from './reloaded-form.js'
import { type Body, BodyGone, queryOf, type RequestContext, readBody } from './request-body.js'
import type { HandlerResult, Responder } from './responder.js'
import {
  createSubmissionCoalescer,
  type Submission as JoinedSubmission,
  repeated,
} from './submission-coalescer.js'

export function createEndpoint(parts: {
  readonly responder: Responder
  readonly allowedOrigins: readonly string[]
  readonly sessions: Pick<Sessions, 'open' | 'find' | 'release' | 'enter' | 'bearer'>
  readonly warnings: Pick<Warnings, 'warn' | 'withdraw'>
}) {
  const { responder, allowedOrigins, sessions, warnings } = parts
  const { warn } = warnings
  const inspect = createInspection(warnings, allowedOrigins)
  const coalescer = createSubmissionCoalescer(sessions)

  async function fieldsOf(method: 'GET' | 'POST', req: Request, res: Response): Promise<Body> {
    // A link or an image on any page can make a browser GET: nothing is sent or checked then.
    if (req.method !== method && !(method === 'GET' && req.method === 'HEAD')) {
      throw new TwoFactorError('method_not_allowed', { headers: { Allow: method } })
    }
    if (method === 'GET') return queryOf(req)
    // No other site can make a browser send a bearer token (CSRF).
    if (!sessions.bearer && isCrossSite(req, allowedOrigins)) throw new TwoFactorError('cross_site')
    return readBody(req, res).catch((error: unknown) => {
      if (error instanceof BodyGone) warn('TWO_FACTOR_NOT_PARSED')
      throw error
    })
  }

  /** Makes a handler that can be mounted anywhere: it brings its parser, checks and error shaping along. */
  return function endpoint(
    method: 'GET' | 'POST',
    page: {
      /** The page of this request, and where it is shown again. */
      of(context: RequestContext, problem: Problem): Promise<PageView>
      urlOf(context: RequestContext): string
    },
    act: (context: RequestContext) => Promise<HandlerResult>,
    /** What the app has fixed of the fields. */
    fixed: (fields: Body) => Body = (fields) => fields,
  ): RequestHandler {
    async function reply(visit: EndpointRequest): Promise<HandlerResult> {
      const { req, res } = visit.context
      try {
        inspect(req, res)
        await sessions.open(req)
        if (isReloadedForm(req, method) && responder.wantsPage(req)) {
          return { reply: 'done', status: 303, location: () => sameAddress(req) }
        }
        // The address of a form that was answered in place, opened again: there is a page for that.
        if (method === 'POST' && isRepeatable(req) && responder.wantsPage(req)) {
          const fields = fixed(queryOf(req))
          return { reply: 'done', status: 303, location: () => page.urlOf({ req, res, fields }) }
        }
        visit.context = { req, res, fields: fixed(await fieldsOf(method, req, res)) }
        visit.leave = sessions.enter(sessions.find(req), res)
        if (visit.leave === undefined) return { reply: 'problem', problem: tooManyAtOnce }
        visit.joined =
          method === 'POST' && responder.wantsPage(req) ? coalescer.join(visit.context) : undefined
        const first = await visit.joined?.first
        return first === undefined ? await act(visit.context) : repeated(first, res)
      } catch (error) {
        if (!isOurs(error)) throw error
        return { reply: 'problem', problem: problemOf(error) }
      } finally {
        // SMS pumping: starts that are refused must not fill the store of the sessions.
        sessions.release(req)
      }
    }

    return middleware(async (req, res) => {
      req[noteGuarded]?.()
      // Whoever was refused already, such as by a wrong password, must not be sent a code (SMS pumping).
      if (res.headersSent) return false
      const visit: EndpointRequest = { context: { req, res, fields: fixed({}) } }
      const view = (problem: Problem) => page.of(visit.context, problem).finally(() => sessions.release(req))
      try {
        const said = await reply(visit)
        // The host's onVerified may have answered already.
        if (!res.headersSent) await responder.send(req, res, said, view)
        visit.joined?.complete({ reply: said, res })
      } finally {
        visit.joined?.complete()
        visit.leave?.()
      }
      return false
    })
  }
}

/** A request at an endpoint. */
interface EndpointRequest {
  /** Its fields are empty until they have been read. */
  context: RequestContext
  /** Ends its place among those of its session. */
  leave?: (() => void) | undefined
  joined?: JoinedSubmission | undefined
}

/** Warns about settings that only a running app reveals. */
function createInspection(
  { warn, withdraw }: Pick<Warnings, 'warn' | 'withdraw'>,
  allowedOrigins: readonly string[],
) {
  // A front end on another site needs SameSite=None; what is posted here is held to its origin.
  const sameSites: readonly unknown[] = [
    true,
    'lax',
    'strict',
    ...(allowedOrigins.length > 0 ? ['none'] : []),
  ]
  let inspected = false
  let isSent = false

  function inspectOnce(req: Request, { cookie }: HostSession): void {
    inspected = true
    const overTls = req.secure || process.env.NODE_ENV === 'production'
    if (overTls && cookie.secure !== true) warn('TWO_FACTOR_COOKIE_NOT_SECURE')
    if (!sameSites.includes(cookie.sameSite)) warn('TWO_FACTOR_COOKIE_SAME_SITE')
  }

  /** Looks whether a Secure cookie goes out: how the session takes a proxy that Express does not know, nobody foretells. */
  function watchCookie(req: Request, res: Response, { id, cookie, ...data }: HostSession): void {
    isSent = cookie.secure !== true || req.secure || cameWith(req, id)
    if (isSent) withdraw('TWO_FACTOR_COOKIE_NEVER_SENT')
    // One that holds nothing is not saved, and needs no cookie.
    if (isSent || Object.keys(data).length === 0) return
    res.once('finish', () => {
      const sent = cookiesSetBy(res).join(';')
      if (!namesSession(sent, sessionOf(req)?.id ?? id)) warn('TWO_FACTOR_COOKIE_NEVER_SENT')
    })
  }

  return (req: Request, res: Response): void => {
    if (inspected && isSent) return
    if (req.app.get('trust proxy') === true) warn('TWO_FACTOR_TRUST_PROXY_ALL')
    const session = sessionOf(req)
    if (session === undefined) return
    if (!inspected) inspectOnce(req, session)
    if (!isSent) watchCookie(req, res, session)
  }
}

/** A session as express-session keeps it, with what it holds and the settings of its cookie. */
interface HostSession {
  readonly id: string
  readonly cookie: { readonly secure?: unknown; readonly sameSite?: unknown }
}

function sessionOf(req: Request): HostSession | undefined {
  const { session } = req as Request & { session?: Partial<HostSession> | null }
  return session?.cookie && { ...session, id: String(session.id), cookie: session.cookie }
}
