import type { Request, RequestHandler, Response } from 'express'
import { TwoFactorError } from '../../errors.js'
import { noteGuarded } from '../guard/coverage.js'
import { isOurs, middleware } from '../host/boundary.js'
import { cameWith, namesSession } from '../host/session.js'
import type { Sessions } from '../host/sessions.js'
import type { Warnings } from '../host/warnings.js'
import type { PageView } from '../pages/page-view.js'
import { cookiesSetBy } from './cookie-headers.js'
import type { OriginCheck } from './origin-check.js'
import { type Problem, problemOf, tooManyAtOnce } from './problems.js'
import { isReloadedForm, sameAddress } from './reloaded-form.js'
import { type Body, BodyGone, queryOf, type RequestContext, readBody } from './request-body.js'
import type { HandlerResult, Responder } from './responder.js'
import { isRepeatable } from './site-paths.js'
import {
  createSubmissionCoalescer,
  type Submission as JoinedSubmission,
  repeated,
} from './submission-coalescer.js'

export function createEndpoint(parts: {
  readonly responder: Responder
  readonly allowedOrigins: readonly string[]
  readonly refuseCrossSite: OriginCheck
  readonly sessions: Pick<Sessions, 'open' | 'find' | 'release' | 'enter' | 'bearer'>
  readonly warnings: Pick<Warnings, 'warn' | 'withdraw'>
}) {
  const { responder, allowedOrigins, refuseCrossSite, sessions, warnings } = parts
  const { warn } = warnings
  const inspect = createInspection(warnings, allowedOrigins)
  const coalescer = createSubmissionCoalescer(sessions)

  async function fieldsOf(method: 'GET' | 'POST', req: Request, res: Response): Promise<Body> {
    // A link or an image on any page can make a browser send a GET, so a GET neither sends nor checks a code.
    if (req.method !== method && !(method === 'GET' && req.method === 'HEAD')) {
      throw new TwoFactorError('method_not_allowed', { headers: { Allow: method } })
    }
    if (method === 'GET') return queryOf(req)
    // Another site cannot make a browser send a bearer token (CSRF).
    if (!sessions.bearer) refuseCrossSite(req, allowedOrigins)
    return readBody(req, res).catch((error: unknown) => {
      if (error instanceof BodyGone) warn('TWO_FACTOR_NOT_PARSED')
      throw error
    })
  }

  /** Creates a handler that can be mounted anywhere, with its parser, checks and error responses. */
  return function endpoint(
    method: 'GET' | 'POST',
    page: {
      /** Returns the page of this request and the URL that shows it again. */
      of(context: RequestContext, problem: Problem): Promise<PageView>
      urlOf(context: RequestContext): string
    },
    act: (context: RequestContext) => Promise<HandlerResult>,
    /** Returns the fields with the values that the app has fixed. */
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
        // The URL of a form that was answered in place is opened again, so its page is shown.
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
        // Refused starts must not fill the session store (SMS pumping).
        sessions.release(req)
      }
    }

    return middleware(async (req, res) => {
      req[noteGuarded]?.()
      // A request that was already refused, such as for a wrong password, must not trigger a code (SMS pumping).
      if (res.headersSent) return false
      const visit: EndpointRequest = { context: { req, res, fields: fixed({}) } }
      const view = (problem: Problem) => page.of(visit.context, problem).finally(() => sessions.release(req))
      try {
        const said = await reply(visit)
        // `onVerified` may have responded already.
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

/** A request during its handling by an endpoint. */
interface EndpointRequest {
  /** Its fields are empty until the body is read. */
  context: RequestContext
  /** Ends the count of this request in its session. */
  leave?: (() => void) | undefined
  joined?: JoinedSubmission | undefined
}

/** Warns about settings that only a running app reveals. */
function createInspection(
  { warn, withdraw }: Pick<Warnings, 'warn' | 'withdraw'>,
  allowedOrigins: readonly string[],
) {
  // A front end on another site needs SameSite=None, and the origin check covers its posts.
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
    if (cookie.partitioned !== true && !sameSites.includes(cookie.sameSite))
      warn('TWO_FACTOR_COOKIE_SAME_SITE')
  }

  /** Checks whether a Secure cookie is sent. The effect of an unknown proxy can only be observed. */
  function watchCookie(req: Request, res: Response, { id, cookie, ...data }: HostSession): void {
    isSent = cookie.secure !== true || req.secure || cameWith(req, id)
    if (isSent) withdraw('TWO_FACTOR_COOKIE_NEVER_SENT')
    // An empty session is not saved and needs no cookie.
    if (isSent || Object.keys(data).length === 0) return
    res.once('finish', () => {
      const sent = cookiesSetBy(res).join(';')
      if (!namesSession(sent, sessionOf(req)?.id ?? id)) warn('TWO_FACTOR_COOKIE_NEVER_SENT', proxyFacts(req))
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

/** Tells which of the two settings is missing. */
function proxyFacts(req: Request): string {
  const forwarded = req.get('x-forwarded-proto') === undefined ? 'was not sent' : 'was sent'
  return `\`trust proxy\` ${req.app.enabled('trust proxy') ? 'is set' : 'is not set'}, X-Forwarded-Proto ${forwarded}`
}

/** A session of express-session with its data and its cookie settings. */
interface HostSession {
  readonly id: string
  readonly cookie: { readonly secure?: unknown; readonly sameSite?: unknown; readonly partitioned?: unknown }
}

function sessionOf(req: Request): HostSession | undefined {
  const { session } = req as Request & { session?: Partial<HostSession> | null }
  return session?.cookie && { ...session, id: String(session.id), cookie: session.cookie }
}
