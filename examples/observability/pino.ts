// Every event as one log line, with the IP address of its request:
// app.use(rememberAddress), before the session, and twoFactor({ onEvent: logEvents(pino()) })
import { AsyncLocalStorage } from 'node:async_hooks'
import type { RequestHandler } from 'express'
import { eventUrgency, type TwoFactorEvent } from 'express-two-factor'
import type { Logger } from 'pino'

const levels = { alarm: 'error', warning: 'warn', record: 'info' } as const

const addresses = new AsyncLocalStorage<string | undefined>()

/**
 * Middleware that remembers the IP address of a request for `logEvents`. Mount it before the session and the routes.
 * Behind a proxy, `req.ip` is the address of the client only if `trust proxy` is set.
 */
export const rememberAddress: RequestHandler = (req, _res, next) => addresses.run(req.ip, next)

/**
 * Logs whole events, because they contain no code, full number or key. `subject` is the account id of your app. The
 * event has no `address`: it comes from `rememberAddress`, and is absent outside of a request.
 */
export function logEvents(logger: Logger): (event: TwoFactorEvent) => void {
  const log = logger.child({ component: 'two-factor' })
  return ({ type, at, ...members }) => {
    const { level, todo } = eventUrgency[type]
    const address = addresses.getStore()
    log[levels[level]]({ event: type, at: new Date(at).toISOString(), address, ...members, todo }, type)
  }
}
