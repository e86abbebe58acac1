// Every event as one log line: twoFactor({ onEvent: logEvents(pino()) })
import type { TwoFactorEvent } from 'express-two-factor'
import type { Logger } from 'pino'

/** Somebody should look at these now. */
const errors: readonly TwoFactorEvent['type'][] = [
  'provider.misconfigured',
  'provider.unavailable',
  'limit.closed',
  'store.failed',
  'session.failed',
]

/** These are for the weekly look, and for whoever investigates an account. */
const warnings: readonly TwoFactorEvent['type'][] = [
  'challenge.undelivered',
  'challenge.unconfirmed',
  'number.locked',
  'number.disabled',
  'device.reused',
  'provider.unexpected',
  'spend.suspected',
  'limit.near',
  'store.pressure',
  'clock.leads',
]

/** An event holds no code, number or key, so it can be logged whole. `subject` is your own name of the account. */
export function logEvents(logger: Logger): (event: TwoFactorEvent) => void {
  const log = logger.child({ component: 'two-factor' })
  return ({ type, at, ...members }) => {
    const level = errors.includes(type) ? 'error' : warnings.includes(type) ? 'warn' : 'info'
    log[level]({ event: type, at: new Date(at).toISOString(), ...members }, type)
  }
}
