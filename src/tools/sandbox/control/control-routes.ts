import express, { type ErrorRequestHandler, type Request, type Response, type Router } from 'express'
import { html } from '../../../lib/html.js'
import { isJsonObject } from '../../../lib/json.js'
import { hasBody, queryOf } from '../http/operation-routes.js'
import type { Dialect } from '../options.js'
import { fromText, problemIn } from '../problem.js'
import type { ProviderSimulation } from '../provider-simulation.js'
import type { Connection } from '../reach.js'
import { controlOpenApi } from './control-openapi.js'
import { type ControlRoute, controlTable } from './control-table.js'

/**
 * Creates the control interface under `/_sandbox`: accepts JSON or forms, returns JSON. An invalid request changes
 * nothing.
 */
export function controlRoutes(
  simulation: ProviderSimulation,
  connection: Connection,
  dialect: Dialect,
): Router {
  const table = controlTable(simulation, connection, dialect)
  const router = express.Router({ strict: true })
  router.use((_request, response, next) => {
    response.set('Cache-Control', 'no-store')
    next()
  })
  router.get('/', (_request, response) => {
    const routes = table.map(({ method, path, summary }) => ({ method, path: `/_sandbox${path}`, summary }))
    response.json({ openapi: '/_sandbox/openapi.json', routes })
  })
  router.get('/openapi.json', (_request, response) => {
    response.json(controlOpenApi(table, new URL(connection.baseUrl).origin))
  })
  for (const path of new Set(table.map((route) => route.path))) {
    const routes = table.filter((route) => route.path === path)
    for (const route of routes) mount(router, route)
    const allow = routes.map(({ method }) => method).join(', ')
    router.all(path, (_request, response) => {
      response
        .status(405)
        .set('Allow', allow)
        .json({ error: 'method', msg: `Use ${allow}.` })
    })
  }
  router.use(respondWithProblem)
  return router
}

function mount(router: Router, route: ControlRoute): void {
  const isGet = route.method === 'GET'
  const limit = '64kb'
  const parsers = isGet ? [] : [express.json({ limit }), express.urlencoded({ extended: false, limit })]
  router[isGet ? 'get' : 'post'](route.path, ...parsers, async (request, response, next) => {
    try {
      const result = (await route.run(readRequest(request, route))) ?? null
      if (!isGet && isFromPage(request)) response.redirect(303, pageOf(request))
      else response.json(isGet ? result : { result })
    } catch (error) {
      next(error)
    }
  })
}

/** Returns whether a browser sent the form: the browser needs the page back, a program gets JSON. */
function isFromPage(request: Request): boolean {
  return request.accepts(['json', 'html']) === 'html'
}

/** Returns the page with its previous search. */
function pageOf(request: Request): string {
  const referer = request.get('referer') ?? ''
  return `/${URL.canParse(referer) ? new URL(referer).search : ''}`
}

const respondWithProblem: ErrorRequestHandler = (error, request, response, next) => {
  const problem = refusalOf(error)
  if (problem === undefined || response.headersSent) return next(error)
  const { status, name, message } = problem
  if (isFromPage(request)) respondWithPage(response.status(status), message, pageOf(request))
  else response.status(status).json({ error: name, msg: message })
}

/** Returns the caller's mistake, or the timeout; undefined for a bug of ours. */
function refusalOf(error: unknown): { status: number; name: string; message: string } | undefined {
  if (!(error instanceof Error)) return undefined
  const { message } = error
  if (error.name === 'TimeoutError') return { status: 408, name: 'timeout', message }
  if (error.name === 'AbortError') return { status: 503, name: 'closed', message }
  // Not JSON, no form, too large, an unknown encoding.
  if ('status' in error && Number(error.status) < 500)
    return { status: Number(error.status), name: 'body', message }
  const isArgument = error instanceof TypeError || error instanceof RangeError
  return isArgument ? { status: 400, name: 'argument', message } : undefined
}

function respondWithPage(response: Response, message: string, back: string): void {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Refused: Sandbox inbox</title><link rel="stylesheet" href="/inbox.css"></head>
<body><main><h1>The sandbox refused that</h1><p>${message}</p><p><a href="${back}">Back to the inbox</a></p></main></body></html>`
  response.type('html').send(page.markup)
}

/** Reads the input of a route. Refuses anything unknown: a misspelt member must not widen a deletion. */
function readRequest(request: Request, { method, takes }: ControlRoute): unknown {
  const given = method === 'GET' ? queryMembers(request) : bodyOf(request)
  const fields = isJsonObject(given)
    ? Object.fromEntries(Object.entries(given).map(([name, value]) => [name, meant(name, value)]))
    : given
  const problem = problemIn(takes, fields)
  if (problem !== undefined) throw new TypeError(problem)
  return fields

  function meant(name: string, value: unknown): unknown {
    const schema = Object.hasOwn(takes.shape, name) ? takes.shape[name] : undefined
    return typeof value === 'string' && schema !== undefined ? fromText(schema, value) : value
  }
}

function queryMembers(request: Request): object {
  const query = [...queryOf(request)]
  const names = query.map(([name]) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new TypeError(`${twice} is given more than once`)
  return Object.fromEntries(query)
}

/** Returns the body: JSON, a form, or nothing. */
function bodyOf(request: Request): unknown {
  if (request.originalUrl.includes('?')) {
    throw new TypeError('a POST takes its parameters in the body, not in the query')
  }
  if (!hasBody(request)) return {}
  const isForm = request.is('application/x-www-form-urlencoded') !== false
  // An unparsed body must not count as empty: an empty deletion deletes everything.
  if (!isForm && !request.is('application/json')) {
    const msg = 'the body must be JSON or a form (application/x-www-form-urlencoded)'
    throw Object.assign(new Error(msg), { status: 415 })
  }
  const { body }: { readonly body: unknown } = request
  // A form sends empty fields. Only when a fault is added does an empty field mean "none".
  if (!isForm || request.path !== '/faults' || !isJsonObject(body)) return body
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ''))
}
