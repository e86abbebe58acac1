import type { EventBody } from './events.js'

/** Reaction of an operator to the events of one type. */
export interface EventUrgency {
  /** `alarm`: act now. `warning`: look at it once a week. `record`: for audits and investigations. */
  readonly level: 'alarm' | 'warning' | 'record'
  /** Number of events within five minutes, over all processes, that triggers the alarm. */
  readonly atLeast?: number
  /** For an alarm: the action to take, in one sentence. */
  readonly todo?: string
  /** For an alarm: the anchor of the section in `docs/operation.md` that describes it. */
  readonly section?: string
}

const recordLevel: EventUrgency = { level: 'record' }
const warning: EventUrgency = { level: 'warning' }
const alarm = (atLeast: number, section: string, todo: string): EventUrgency => ({
  level: 'alarm',
  atLeast,
  todo,
  section,
})

/**
 * The urgency of each event. Build your own logs, dashboards and alarms from it, as the recipes do.
 *
 * @example
 * const { level } = eventUrgency[event.type]
 * logger[level === 'alarm' ? 'error' : 'info'](event)
 */
export const eventUrgency: Readonly<Record<EventBody['type'], EventUrgency>> = {
  'challenge.started': recordLevel,
  'challenge.sent': recordLevel,
  'challenge.unconfirmed': warning,
  'challenge.undelivered': warning,
  'challenge.rejected': recordLevel,
  'challenge.approved': recordLevel,
  'challenge.superseded': recordLevel,
  'challenge.cancelled': recordLevel,
  'subject.locked': warning,
  'subject.disabled': warning,
  'subject.unlocked': recordLevel,
  'request.refused': recordLevel,
  'device.trusted': recordLevel,
  'device.used': recordLevel,
  'device.revoked': recordLevel,
  'grant.revoked': recordLevel,
  'recovery.used': recordLevel,
  'recovery.failed': recordLevel,
  'factor.changed': recordLevel,
  'factor.unreadable': alarm(
    1,
    'a-number-on-file-cannot-be-read',
    'The account gets no code: correct its number, or return it as `{ phone, country }`; after a migration, check all of them.',
  ),
  'session.failed': alarm(
    5,
    'redis-is-down-or-evicts',
    'Right codes lead to no sign-in: see that the store of your sessions runs.',
  ),
  'store.failed': alarm(
    5,
    'redis-is-down-or-evicts',
    'Requests are refused with 503: `cause` says why; see that the store runs and can be reached from here.',
  ),
  'spend.suspected': alarm(
    1,
    'sign-ups-are-pumped',
    'Look at the sign-ups of that country: where they are no people, `npx express-two-factor signups --pause 2h` stops all of them at once; then take it out of `countries`, or ask for a captcha in `beforeSend`.',
  ),
  'spend.cleared': recordLevel,
  'limit.closed': alarm(
    1,
    'sign-ups-are-pumped',
    'Codes are refused until the window ends: raise that limit if the traffic is honest, and look for its source if not. `pause` is by an operator: `npx express-two-factor signups --state`.',
  ),
  'provider.misconfigured': alarm(
    1,
    'codes-are-refused',
    'Nobody can sign in: `npx express-two-factor doctor` says what to correct about client, key or allow-list.',
  ),
  'provider.unavailable': alarm(
    5,
    'the-provider-is-down-or-slow',
    'Look at `cause` and `httpStatus` of the events, and ask the provider whether it is down.',
  ),
  'provider.unexpected': alarm(
    1,
    'the-right-code-is-refused',
    'Codes are answered with a `status` that `approvedStatuses` lacks, and none is approved: where right ones are among them, paste the line in `cause`; else somebody guesses.',
  ),
}
