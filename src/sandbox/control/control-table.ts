import type { OperationName } from '../../provider/operations.js'
import type { Fault } from '../fault.js'
import type { PendingFault } from '../faults.js'
import type { WaitOptions } from '../inbox.js'
import { type Schema, strictObject } from '../json-schema.js'
import type { ProviderSimulation } from '../provider-simulation.js'
import type { Dialect } from '../service/dialect.js'
import * as schemas from './schemas.js'

/** One route of the control interface. */
export interface ControlRoute {
  readonly method: 'GET' | 'POST'
  /** Below `/_sandbox`. */
  readonly path: string
  readonly summary: string
  /** The query of a GET, the body of a POST. */
  readonly takes: Schema
  /** The body of a GET's response; that of a POST is its member `result`. */
  readonly returns: Schema
  /** In a form, empty fields count as absent. */
  readonly ignoresEmpty?: true
  /** Resolves late, or ends with 408. */
  readonly waits?: true
  readonly run: (fields: never) => unknown
}

type Search = { readonly phone?: string; readonly q?: string }
type Page = { readonly limit?: number; readonly offset?: number }

const nothing = strictObject({})

/** Everything a test or the page can ask of the sandbox, as data: routes, checks and OpenAPI are made of it. */
export function controlTable(simulation: ProviderSimulation, dialect: Dialect): readonly ControlRoute[] {
  const { account, clock, faults, links, messages, requests } = simulation

  function found({ phone = '', q = '' }: Search) {
    const listed = new Set(messages.list(phone).map(({ id }) => id))
    return messages.search(q).filter(({ id }) => listed.has(id))
  }
  const page = <Item>(items: readonly Item[], { limit = 1_000, offset = 0 }: Page) =>
    items.slice(offset, offset + limit)
  const get = (
    path: string,
    summary: string,
    takes: Schema,
    returns: Schema,
    run: (fields: never) => unknown,
  ) => ({ method: 'GET', path, summary, takes, returns, run }) as const
  const post = (
    path: string,
    summary: string,
    takes: Schema,
    returns: Schema,
    run: (fields: never) => unknown,
  ) => ({ method: 'POST', path, summary, takes, returns, run }) as const

  const { phone, search: q, id, operation, listOf, done, count, paging, integer } = schemas
  return [
    get(
      '/health',
      'Whether the sandbox runs',
      nothing,
      strictObject({ status: { type: 'string', enum: ['ok'] }, dialect: { type: 'string' } }),
      () => ({ status: 'ok', dialect }),
    ),
    get(
      '/messages',
      'Messages, newest first',
      strictObject({ 'phone?': phone, 'q?': q, ...paging }),
      listOf(schemas.message),
      (fields: Search & Page) => page(found(fields), fields).map(messages.view),
    ),
    get(
      '/messages/count',
      'How many messages there are',
      strictObject({ 'phone?': phone, 'q?': q }),
      count,
      (fields: Search) => ({ count: found(fields).length }),
    ),
    {
      ...get(
        '/messages/wait',
        'Waits for a message that reaches a number',
        strictObject({
          phone,
          'timeoutMs?': integer(0, 60_000),
          'channel?': { type: 'string', enum: ['sms', 'call'] },
          'since?': integer(-8e15, 8e15),
          'after?': id,
          'code?': { type: 'boolean' },
        }),
        schemas.message,
        ({ phone: number, ...options }: WaitOptions & { phone: string }) => messages.waitFor(number, options),
      ),
      waits: true,
    },
    post(
      '/messages/delete',
      'Deletes one message, those of a number, those that match a search, or all',
      strictObject({ 'id?': id, 'phone?': phone, 'q?': q }),
      { anyOf: [{ type: 'boolean' }, done] },
      deleteMessages,
    ),
    get(
      '/requests',
      'Requests that reached an operation, newest first',
      strictObject({ 'operation?': operation, ...paging }),
      listOf(schemas.loggedRequest),
      ({ operation: name, ...fields }: Page & { operation?: OperationName }) =>
        page(requests.list(name), fields),
    ),
    get(
      '/requests/count',
      'How many requests reached an operation',
      strictObject({ 'operation?': operation }),
      count,
      (fields: { operation?: OperationName }) => ({ count: requests.count(fields.operation) }),
    ),
    get(
      '/requests/unmatched',
      'Requests that no operation matched, newest first',
      nothing,
      listOf(schemas.unmatchedRequest),
      () => requests.unmatched(),
    ),
    get('/account', 'Credits and blocked numbers', nothing, schemas.account, () => ({
      credits: account.credits(),
      blocked: account.blocked(),
    })),
    post(
      '/account',
      'Sets the credits',
      strictObject({ credits: integer(0, Number.MAX_SAFE_INTEGER) }),
      done,
      (fields: { credits: number }) => account.setCredits(fields.credits),
    ),
    post(
      '/account/unblock',
      'Lifts the block of a number',
      strictObject({ phone }),
      { type: 'boolean' },
      (fields: { phone: string }) => account.unblock(fields.phone),
    ),
    get(
      '/clock',
      'The sandbox time, or that of one number',
      strictObject({ 'phone?': phone }),
      schemas.clock,
      (fields: { phone?: string }) => ({
        now: clock.now(fields.phone),
        aheadMs: clock.aheadMs(fields.phone),
      }),
    ),
    post(
      '/clock',
      'Moves the time forward, for everything or for one number',
      strictObject({ advanceMs: integer(0, 1e12), 'phone?': phone }),
      done,
      (fields: { advanceMs: number; phone?: string }) => clock.advance(fields.advanceMs, fields.phone),
    ),
    get('/faults', 'Pending faults', nothing, listOf(schemas.pendingFault), () =>
      faults.list().map(listedFault),
    ),
    {
      ...post('/faults', 'Adds a fault', strictObject(schemas.fault), id, addFault),
      ignoresEmpty: true,
    },
    post(
      '/faults/delete',
      'Removes one fault, or all',
      strictObject({ 'id?': id }),
      { anyOf: [{ type: 'boolean' }, done] },
      (fields: { id?: string }) => (fields.id === undefined ? faults.clear() : faults.remove(fields.id)),
    ),
    get('/links', 'Short URLs, newest first', nothing, listOf(schemas.link), () => links.list()),
    post('/reset', 'Forgets everything that happened', nothing, done, () => simulation.reset()),
  ]

  function deleteMessages(fields: Search & { id?: string }): unknown {
    if (Object.keys(fields).length > 1) throw new TypeError('id, phone and q exclude each other')
    if (fields.id !== undefined) return messages.delete(fields.id)
    if (fields.q !== undefined) return messages.deleteMatching(fields.q)
    return messages.clear(fields.phone)
  }

  function addFault({ times, ...fault }: { times?: number | 'Infinity' }): string {
    return faults.add({ ...fault, ...(times !== undefined && { times: Number(times) }) } as Fault)
  }
}

/** JSON has no Infinity: null stands for "until it is removed". */
function listedFault({ id, fault, timesLeft }: PendingFault): object {
  const { times, ...effect } = fault
  return Number.isFinite(timesLeft)
    ? { id, fault: times === undefined ? effect : { ...effect, times }, timesLeft }
    : { id, fault: effect, timesLeft: null }
}
