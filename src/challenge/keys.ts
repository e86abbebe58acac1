import { hash } from 'node:crypto'
import { memoize } from '../lib/memoize.js'
import type { PhoneNumber } from '../phone-number.js'
import type { Kind } from '../store/store.js'
import type { Lane } from './limits.js'
import type { Secrets } from './secrets.js'

/** The keys of all entries in the store. None contains a readable number, code, session id or subject. */
export interface Keys {
  /** By a keyed hash of the number. */
  ledger(lane: Lane, phone: PhoneNumber): string
  /** The ledger of a subject, over all of its destinations. */
  subject(subject: string): string
  /** The record of a subject: grants, revocations, tried recovery codes. */
  grants(subject: string): string
  devices(subject: string): string
  /** The number that a session proves, sealed. */
  enrolment(session: string): string
  /** A form that waits for a code. */
  forms(id: string): string
  /** What the service knows about its account. */
  readonly balance: string
  /** A counter: what it counts, and for which holder. */
  counter(kind: CounterKind, holder: string): string
}

export type CounterKind = Extract<Kind, `count-${string}` | `${string}-tally`>

export function createKeys(namespace: string, secrets: Secrets): Keys {
  // Not a template: V8 would keep it as a rope of its parts, which takes more memory in the store.
  const key = (kind: Kind, tag: string) => ['tf2', namespace, kind, tag].join(':')
  const ledgerOf = (lane: Lane) => memoize((phone) => key(lane, secrets.tag('number-tag', phone)))
  // Memoized: every code for the same number needs it again.
  const ledgers = { auth: ledgerOf('auth'), enrol: ledgerOf('enrol') }
  return {
    ledger: (lane, phone) => ledgers[lane](phone),
    subject: (subject) => key('auth', hashId(subject)),
    // Used by the guard on every request: V8 hashes the same string object only once.
    grants: memoize((subject) => key('grants', hashId(subject))),
    devices: (subject) => key('devices', hashId(subject)),
    enrolment: (session) => key('enrolment', hashId(session)),
    forms: (id) => key('forms', hashId(id)),
    balance: key('balance', 'account'),
    counter: key,
  }
}

/** SHA-256 of a session id or subject. These are long or public, so no key is needed. Memoized: they recur with every request. */
export const hashId = memoize((id) => hash('sha256', id, 'base64url'))
