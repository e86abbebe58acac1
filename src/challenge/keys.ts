import { hash } from 'node:crypto'
import { memoize } from '../lib/memoize.js'
import type { PhoneNumber } from '../phone-number.js'
import type { Kind } from '../store/kinds.js'
import type { Lane } from './ledger/ledger.js'
import type { Secrets } from './secrets.js'

/** Where everything stands in the store. No key holds a readable number, code, session id or subject. */
export interface Keys {
  ledger(lane: Lane, phone: PhoneNumber): string
  grants(subject: string): string
  devices(subject: string): string
  enrolment(session: string): string
  /** The wrong codes of a subject that are counted together. */
  tally(name: TallyName, subject: string): string
  /** A counter: what it counts, and for whom. */
  counter(kind: CounterKind, whom: string): string
}

/** `known`: those typed in known browsers at sign-in and step-up. */
export type TallyName = Lane | 'known'

type CounterKind = Extract<Kind, `count-${string}`>

export function createKeys(namespace: string, secrets: Secrets): Keys {
  // Joined: what a template makes is a chain of its parts, and a store would keep all of them.
  const key = (kind: Kind, tag: string) => ['tf1', namespace, kind, tag].join(':')
  const ledgerOf = (lane: Lane) => memoize((phone) => key(lane, secrets.tag('number-tag', phone)))
  // Asked again with every code for the same number.
  const ledgers = { auth: ledgerOf('auth'), enrol: ledgerOf('enrol') }
  return {
    ledger: (lane, phone) => ledgers[lane](phone),
    // Asked by the guard on every request: a key that is the same object each time is hashed once.
    grants: memoize((subject) => key('grants', hashId(subject))),
    devices: (subject) => key('devices', hashId(subject)),
    enrolment: (session) => key('enrolment', hashId(session)),
    tally: (name, subject) => key(`${name}-tally`, hashId(subject)),
    counter: key,
  }
}

/** SHA-256 of a session id or subject. These are long or public, so no key is needed. Memoized: they recur with every request. */
export const hashId = memoize((text) => hash('sha256', text, 'base64url'))
