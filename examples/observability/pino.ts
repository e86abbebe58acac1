// Every event as one log line: twoFactor({ onEvent: logEvents(pino()) })
import { eventUrgency, type TwoFactorEvent } from 'express-two-factor'
import type { Logger } from 'pino'

const levels = { alarm: 'error', warning: 'warn', record: 'info' } as const

/**
 * Logs whole events, because they contain no code, number, address or key. `subject` is the account id of your app. To
 * add the address, run `addresses.run(req.ip, next)` of an `AsyncLocalStorage` before the session, and read
 * `addresses.getStore()` here.
 */
export function logEvents(logger: Logger): (event: TwoFactorEvent) => void {
  const log = logger.child({ component: 'two-factor' })
  return ({ type, at, ...members }) => {
    const { level, todo } = eventUrgency[type]
    log[levels[level]]({ event: type, at: new Date(at).toISOString(), ...members, todo }, type)
  }
}
