import type { Request, RequestHandler, Response } from 'express'
import { oneOf, optionError } from '../../lib/options.js'
import type { Problem } from '../http/problems.js'
import { findField, type RequestContext } from '../http/request-body.js'
import type { HandlerResult } from '../http/responder.js'
import type { HttpParts } from '../http-parts.js'
import { bareView } from '../pages/bare-view.js'
import type { Texts } from '../pages/messages/en.js'
import type { OwnPage } from '../pages/page-view.js'
import type { Routes } from './routes.js'

/** A request to a route of your own. */
export interface RouteContext {
  /** The request. */
  readonly req: Request
  /** The response, for headers of your own. The package sends it. */
  readonly res: Response
  /** Members of a JSON or form body of a POST, or of the query of a GET. They are user input: check their types. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Account id, as your option `subject` returned it. */
  readonly subject: string
  /** Session id for `grants.write`. */
  readonly session: string
  /** Language of the user, such as `es`. */
  readonly locale: string
  /** Every text of the package's pages in that language, with placeholders such as `{phone}`. */
  readonly texts: Texts
  /** True if the response is a page for a person, and not JSON. */
  readonly wantsPage: boolean
  /** The field `returnTo`, if it is a path of this site: without the option `prefix`, as `location` takes it. */
  readonly returnTo: string | undefined
  /** The option `prefix`, for links and forms of `content`: `href="${prefix}/account"`. Empty by default. */
  readonly prefix: string
  /** Name of the app, as the pages show it. */
  readonly appName: string
  /** Fields from the option `pages.formFields`, for every form of the page. They are user input: escape them. */
  readonly formFields: Readonly<Record<string, string>>
}

/** Response of a route of your own: `body` for JSON, a page or a redirect for a browser. */
export type RouteResult = {
  /** The JSON body. */
  readonly body: object
  /** HTTP status of page and body. Default: 200. */
  readonly status?: number | undefined
} & (
  | (OwnPage & {
      /** Path of your app for a reload of the page, if it responds to a form. */
      readonly address?: string | undefined
    })
  /** A path of your app, loaded with GET. */
  | { readonly location: string }
)

/** Handles one request. Return undefined if something else responded, such as a guard that you called. */
export type OwnAct = (visit: RouteContext) => RouteResult | undefined | Promise<RouteResult | undefined>

/** Creates the handler of a route of your own. */
export type OwnRoute = (method: 'GET' | 'POST', act: OwnAct) => RequestHandler

const isMethod = oneOf('GET', 'POST')

export function createOwnRoute(http: HttpParts, { views }: Pick<Routes, 'views'>): OwnRoute {
  const { endpoint, identified, sessions, languageOf, formFieldsOf, path, sitePaths, responder, settings } =
    http
  const { prefix, toBrowser, fromBrowser, mountOf } = sitePaths
  const appName = settings.pages.brand?.name ?? settings.appName.login

  const viewOf = ({ req }: RequestContext, own: OwnPage, address: string | undefined) => ({
    ...bareView(http, req),
    page: 'own' as const,
    own,
    basePath: path,
    address: address === undefined ? undefined : toBrowser(address),
    ways: [],
  })

  return (method, act) => {
    isMethod(method, 'ownRoute: method')
    const page = {
      of: (context: RequestContext, problem: Problem) => views.formless(context, problem),
      urlOf: ({ req }: RequestContext) => mountOf(req) || '/',
    }
    return endpoint(method, page, async (context): Promise<HandlerResult> => {
      const { req, res, fields } = context
      // A guard that you call saves only a form that was parsed, even an empty one.
      req.body ??= fields
      const requester = identified(req)
      // The next request must find what is written under this session id.
      await sessions.save(req, res)
      const formFields = formFieldsOf(req)
      const returnTo = fromBrowser(findField(fields, 'returnTo'))?.slice(prefix.length)
      const ofPage = { wantsPage: responder.wantsPage(req), returnTo, prefix, appName, formFields }
      const said = await act({ req, res, fields, ...requester, ...languageOf(req), ...ofPage })
      if (said === undefined) {
        if (res.headersSent || res.closed) return { reply: 'answered' }
        throw optionError('ownRoute: the handler must return a RouteResult or send the response')
      }
      const { body, status = 200 } = said
      if ('location' in said) return { reply: 'done', status, body, location: () => toBrowser(said.location) }
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
