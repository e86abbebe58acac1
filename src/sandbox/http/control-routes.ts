import express, { type ErrorRequestHandler, type Request, type Router } from 'express'
import type { OperationName } from '../../provider/operations.js'
import type { Fault } from '../fault.js'
import type { WaitOptions } from '../inbox.js'
import type { ProviderSimulation } from '../provider-simulation.js'

type Fields = Readonly<Record<string, unknown>>
type Query = Readonly<Record<string, string>>

const maxWaitMs = 60_000

/** Everything a test or the page can ask of the sandbox, under `/_sandbox`: JSON or forms in, JSON out. */
export function controlRoutes(simulation: ProviderSimulation): Router {
  const { account, clock, faults, links, messages, requests } = simulation
  const router = express.Router()
  router.use(express.json({ limit: '64kb' }), express.urlencoded({ extended: false, limit: '64kb' }))

  const getRoutes: Readonly<Record<string, (query: Query) => unknown>> = {
    '/messages': ({ phone }) => messages.list(phone),
    '/messages/wait': ({ phone = '', ...options }) => messages.waitFor(phone, waitOptions(options)),
    '/requests': ({ operation }) => requests.list(operation as OperationName | undefined),
    '/account': () => ({ credits: account.credits(), blocked: account.blocked() }),
    '/clock': () => ({ now: clock.now(), aheadMs: clock.aheadMs() }),
    '/faults': () => faults.list(),
    '/links': () => links.list(),
  }
  for (const [path, answer] of Object.entries(getRoutes)) {
    router.get(path, async (request, response, next) => {
      try {
        response.set('Cache-Control', 'no-store').json(await answer(queryOf(request)))
      } catch (error) {
        next(error)
      }
    })
  }

  const postRoutes: Readonly<Record<string, (fields: Fields) => unknown>> = {
    '/messages/delete': ({ id, phone }) =>
      id === undefined ? messages.clear(textOf(phone)) : messages.delete(String(id)),
    '/account': ({ credits }) => account.setCredits(Number(credits)),
    '/account/unblock': ({ phone }) => account.unblock(String(phone)),
    '/clock': ({ advanceMs }) => clock.advance(Number(advanceMs)),
    '/faults': (fields) => faults.add(faultOf(fields)),
    '/faults/delete': ({ id }) => (id === undefined ? faults.clear() : faults.remove(String(id))),
    '/reset': () => simulation.reset(),
  }
  for (const [path, act] of Object.entries(postRoutes)) {
    router.post(path, (request, response) => {
      const result = act(request.body ?? {})
      // A form of the page goes back to the page; a program gets what the call gave.
      if (request.accepts(['json', 'html']) === 'html') response.redirect(303, pageOf(request))
      else response.json({ result: result ?? null })
    })
  }

  router.use(answerMistake)
  return router
}

/** A wrong argument is the caller's mistake; that nothing arrived in time is an answer. */
const answerMistake: ErrorRequestHandler = (error, _request, response, next) => {
  if (error instanceof TypeError || error instanceof RangeError) {
    response.status(400).json({ error: 'argument', msg: error.message })
  } else if (error instanceof DOMException && error.name === 'TimeoutError') {
    response.status(408).json({ error: 'timeout', msg: error.message })
  } else {
    next(error)
  }
}

function queryOf(request: Request): Query {
  return Object.fromEntries(new URL(request.originalUrl, 'http://sandbox').searchParams)
}

/** The page as it was filtered when the form was sent. */
function pageOf(request: Request): string {
  const referer = request.get('referer') ?? ''
  return `/${URL.canParse(referer) ? new URL(referer).search : ''}`
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

function waitOptions({ timeoutMs, since, channel, code }: Query): WaitOptions {
  return {
    ...(timeoutMs !== undefined && { timeoutMs: Math.min(Number(timeoutMs), maxWaitMs) }),
    ...(since !== undefined && { since: Number(since) }),
    ...(channel !== undefined && { channel: channel as 'sms' | 'call' }),
    ...(code !== undefined && { code: code !== 'false' }),
  }
}

/** A fault as a form has it: texts, and empty ones for what was left alone. */
function faultOf(fields: Fields): Fault {
  const given = Object.entries(fields).filter(([, value]) => value !== '')
  return Object.fromEntries(
    given.map(([name, value]) => {
      if (['times', 'status', 'delayMs', 'bytes'].includes(name)) return [name, Number(value)]
      return [name, name === 'midBody' ? value === true || value === 'true' : value]
    }),
  ) as unknown as Fault
}
