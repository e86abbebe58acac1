import type { Request, RequestHandler, Response } from 'express'
import { oneOf, optionError } from '../../lib/options.js'
import { safePath } from '../http/origin.js'
import type { Problem } from '../http/problems.js'
import type { RequestContext } from '../http/request-body.js'
import type { HandlerResult } from '../http/responder.js'
import type { HttpParts } from '../http-parts.js'
import { bareView } from '../pages/bare-view.js'
import type { Texts } from '../pages/messages/en.js'
import type { OwnPage } from '../pages/page-view.js'
import type { Routes } from './routes.js'

/** A request at a route of the host's own. */
export interface RouteContext {
  /** What was asked. */
  readonly req: Request
  /** For headers of your own: the reply is sent by the package. */
  readonly res: Response
  /** The members of the body of a POST, JSON or a form; those of the query of a GET. Hostile: check their types. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Who asks, as the option `subject` says. */
  readonly subject: string
  /** The id of the session, as `grants.write` takes it. */
  readonly session: string
  /** The person's language, such as `es`. */
  readonly locale: string
  /** Every text of the package's pages in that language, its places such as `{phone}` unfilled. */
  readonly texts: Texts
  /** Whether the response is a page for a person, and not JSON. */
  readonly wantsPage: boolean
  /** Name of the app, as the pages show it. */
  readonly appName: string
  /** From the option `pages.formFields`, for every form of the page. Hostile: escape them. */
  readonly formFields: Readonly<Record<string, string>>
}

/** What a route of the host's own responds with: `body` to JSON, to a person's browser a page or a redirect. */
export type RouteResult = {
  /** The same as JSON. */
  readonly body: object
  /** HTTP status of page and body, 200 by default. */
  readonly status?: number | undefined
} & (
  | (OwnPage & {
      /** The path that a reload of this page gets, where it responds to a form. */
      readonly address?: string | undefined
    })
  /** A path of this site, shown by GET. */
  | { readonly location: string }
)

/** Responds to one request. Undefined where it has answered by itself, as a guard does that was called by hand. */
export type OwnAct = (visit: RouteContext) => RouteResult | undefined | Promise<RouteResult | undefined>

/** Makes a handler for a route of the host's own. */
export type OwnRoute = (method: 'GET' | 'POST', act: OwnAct) => RequestHandler

const isMethod = oneOf('GET', 'POST')

export function createOwnRoute(http: HttpParts, { views }: Pick<Routes, 'views'>): OwnRoute {
  const { endpoint, identified, sessions, languageOf, formFieldsOf, path, responder, settings } = http
  const appName = settings.pages.brand?.name ?? settings.appName.login

  const viewOf = ({ req }: RequestContext, own: OwnPage, address: string | undefined) => ({
    ...bareView(http, req),
    page: 'own' as const,
    own,
    basePath: path,
    address,
    ways: [],
  })

  return (method, act) => {
    isMethod(method, 'ownRoute: method')
    const page = {
      of: (context: RequestContext, problem: Problem) => views.formless(context, problem),
      urlOf: ({ req }: RequestContext) => safePath(req.baseUrl) ?? '/',
    }
    return endpoint(method, page, async (context): Promise<HandlerResult> => {
      const { req, res, fields } = context
      // A guard that is called by hand keeps a form that it sees was parsed, be it an empty one.
      req.body ??= fields
      const who = identified(req)
      // What is written under its id has to be found by the next request.
      await sessions.save(req, res)
      const formFields = formFieldsOf(req)
      const shown = { wantsPage: responder.wantsPage(req), appName, formFields }
      const said = await act({ req, res, fields, ...who, ...languageOf(req), ...shown })
      if (said === undefined) {
        if (res.headersSent || res.closed) return { reply: 'answered' }
        throw optionError('ownRoute: the handler must return a reply, or have responded itself')
      }
      const { body, status = 200 } = said
      if ('location' in said) return { reply: 'done', status, body, location: () => said.location }
      const { title, content, problem, notice, address } = said
      return {
        reply: 'page',
        status,
        body,
        view: viewOf(context, { title, content, problem, notice }, address),
      }
    })
  }
}
