import { z } from 'zod'
import { type Fault, faultSchema, type PendingFault } from '../faults.js'
import type { Dialect } from '../options.js'
import type { ProviderSimulation } from '../provider-simulation.js'
import type { Connection } from '../reach.js'
import * as schemas from './schemas.js'

/** One route of the control interface. */
export interface ControlRoute {
  readonly method: 'GET' | 'POST'
  /** Path below `/_sandbox`. */
  readonly path: string
  readonly summary: string
  /** The query of a GET, the body of a POST. */
  readonly takes: z.ZodObject
  /** The body of a GET's response. For a POST, the member `result` of the body. */
  readonly returns: z.ZodType
  /** Checks its input, and performs the route. */
  readonly run: (fields: unknown) => unknown
}

const routeOf =
  (method: ControlRoute['method']) =>
  <Shape extends z.ZodRawShape>(
    path: string,
    summary: string,
    shape: Shape,
    returns: z.ZodType,
    run: (fields: z.output<z.ZodObject<Shape>>) => unknown,
  ): ControlRoute => {
    const takes = z.strictObject(shape)
    return { method, path, summary, takes, returns, run: (fields) => run(takes.parse(fields) as never) }
  }
const get = routeOf('GET')
const post = routeOf('POST')

type Search = { readonly phone?: string | undefined; readonly q?: string | undefined }
type Page = { readonly limit?: number | undefined; readonly offset?: number | undefined }

/** Returns all routes for tests and the page as data: routes, checks and OpenAPI derive from this table. */
export function controlTable(
  simulation: ProviderSimulation,
  connection: Connection,
  dialect: Dialect,
): readonly ControlRoute[] {
  const { account, clock, faults, links, messages, requests } = simulation
  const { phone, digits, search: q, id, operation, done, count, paging } = schemas

  const found = ({ phone: part, q: text }: Search) => messages.search(text, part)
  const page = <Item>(items: readonly Item[], { limit = 1_000, offset = 0 }: Page) =>
    items.slice(offset, offset + limit)

  return [
    get(
      '/health',
      'State of the sandbox',
      {},
      z.strictObject({ status: z.literal('ok'), dialect: z.string() }),
      () => ({ status: 'ok', dialect }),
    ),
    get(
      '/connection',
      'Settings of a program that uses this sandbox as its provider',
      {},
      schemas.connection,
      () => connection,
    ),
    get(
      '/messages',
      'Messages, newest first',
      { phone: digits, q, ...paging },
      z.array(schemas.message),
      (fields) => page(found(fields), fields).map(messages.view),
    ),
    get('/messages/count', 'Number of messages', { phone: digits, q }, count, (fields) => ({
      count: found(fields).length,
    })),
    get(
      '/messages/wait',
      'Waits for a message that reaches a number',
      {
        phone: phone.unwrap(),
        timeoutMs: z.int().min(0).max(60_000).optional(),
        channel: z.enum(['sms', 'call']).optional(),
        since: z.int().optional(),
        after: id.optional(),
        code: z.boolean().optional(),
      },
      schemas.message,
      ({ phone: number, ...options }) => messages.waitFor(number, options),
    ),
    post(
      '/messages/delete',
      'Deletes one message, all messages of a number or of a search, or all messages',
      { id: id.optional(), phone: digits, q },
      z.union([z.boolean(), done]),
      (fields) => {
        if (Object.keys(fields).length > 1) throw new TypeError('id, phone and q exclude each other')
        if (fields.id !== undefined) return messages.delete(fields.id)
        return messages.clear(fields.phone, fields.q)
      },
    ),
    get(
      '/requests',
      'Requests to an operation, newest first',
      { operation, ...paging },
      z.array(schemas.loggedRequest),
      ({ operation: name, ...fields }) => page(requests.list(name), fields),
    ),
    get('/requests/count', 'Number of requests to an operation', { operation }, count, (fields) => ({
      count: requests.count(fields.operation),
    })),
    get(
      '/requests/unmatched',
      'Requests that no operation matched, newest first',
      {},
      z.array(schemas.unmatchedRequest),
      requests.unmatched,
    ),
    get('/account', 'Credits and blocked numbers', {}, schemas.account, () => ({
      credits: account.credits(),
      blocked: account.blocked(),
    })),
    post('/account', 'Sets the credits', { credits: schemas.credits }, done, ({ credits }) =>
      account.setCredits(credits),
    ),
    post(
      '/account/unblock',
      'Lifts the block of a number',
      { phone: phone.unwrap() },
      z.boolean(),
      (fields) => account.unblock(fields.phone),
    ),
    get('/clock', 'The time of the sandbox or of one number', { phone }, schemas.clock, (fields) => ({
      now: clock.now(fields.phone),
      aheadMs: clock.aheadMs(fields.phone),
    })),
    post(
      '/clock',
      'Moves the time forward, for everything or for one number',
      { advanceMs: z.int().min(0).max(1e12), phone },
      done,
      (fields) => clock.advance(fields.advanceMs, fields.phone),
    ),
    get('/faults', 'Pending faults', {}, z.array(schemas.pendingFault), () => faults.list().map(listedFault)),
    post('/faults', 'Adds a fault', faultSchema.shape, id, ({ times, ...fault }) =>
      faults.add({ ...fault, ...(times !== undefined && { times: Number(times) }) } as Fault),
    ),
    post(
      '/faults/delete',
      'Removes one fault or all faults',
      { id: id.optional() },
      z.union([z.boolean(), done]),
      (fields) => (fields.id === undefined ? faults.clear() : faults.remove(fields.id)),
    ),
    get('/links', 'Short URLs, newest first', {}, z.array(schemas.link), links.list),
    post('/reset', 'Deletes all recorded events', {}, done, simulation.reset),
  ]
}

/** JSON has no Infinity: null means "until it is removed". */
function listedFault({ id, fault, timesLeft }: PendingFault): object {
  if (Number.isFinite(timesLeft)) return { id, fault, timesLeft }
  const { times: _endless, ...effect } = fault
  return { id, fault: effect, timesLeft: null }
}
