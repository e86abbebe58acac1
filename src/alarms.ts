import type { EventBody } from './events.js'

/** Reaction of an operator to the events of one type. */
export interface EventUrgency {
  /** `alarm`: act now. `warning`: look at it once a week. `record`: for audits and investigations. */
  readonly level: 'alarm' | 'warning' | 'record'
  /** Number of events within five minutes, over all processes, that triggers the alarm. */
  readonly atLeast?: number
  /** For an alarm: the check and the action, in a few sentences. */
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
    'The account cannot use this factor. Correct the number on file, or return it as `{ phone, country }`. After a migration, check all numbers.',
  ),
  'passkey.copied': alarm(
    1,
    'a-passkey-may-be-copied',
    'A passkey may have been copied, so it was refused. Ask the user about it, and remove that passkey.',
  ),
  'session.failed': alarm(
    5,
    'redis-is-down-or-evicts',
    'Sign-ins fail after a correct code. Check the session store.',
  ),
  'store.failed': alarm(
    5,
    'redis-is-down-or-evicts',
    'Requests are refused with 503. Read `cause`, and check that the store runs and can be reached from this machine.',
  ),
  'spend.suspected': alarm(
    1,
    'sign-ups-are-pumped',
    'Check the sign-ups of that country. If they are not real users, stop all sign-ups with `npx express-two-factor signups --pause 2h`. Then remove the country from `countries`, or require a captcha in `beforeSend`.',
  ),
  'spend.cleared': recordLevel,
  'limit.closed': alarm(
    1,
    'sign-ups-are-pumped',
    'Codes are refused until the window ends. If the traffic is genuine, raise that limit. Otherwise find its source. With the limit `pause`, an operator paused sign-ups: see `npx express-two-factor signups --state`.',
  ),
  'provider.misconfigured': alarm(
    1,
    'codes-are-refused',
    'No code is sent or checked by this provider. Other factors and trusted browsers still work. Run `npx express-two-factor doctor`, and correct the client, key or allow-list that it reports.',
  ),
  'provider.unavailable': alarm(
    5,
    'the-provider-is-down-or-slow',
    'Read `reason` of the events. With `refused`, `dns`, `tls` or `unreachable`, run `npx express-two-factor doctor` on the machine that reported it. Otherwise ask the provider about an outage. Do not restart the app.',
  ),
  'provider.unexpected': alarm(
    1,
    'the-right-code-is-refused',
    'The provider returns a `status` that `approvedStatuses` does not contain, and approves no code. Run `npx express-two-factor calibrate`, and paste the `approvedStatuses` that it prints. If they are those of the app, an attacker is guessing.',
  ),
}
