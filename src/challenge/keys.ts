import { hash } from 'node:crypto'
import type { PhoneNumber } from '../phone-number.js'
import type { Lane } from './ledger.js'
import type { Secrets } from './secrets.js'

/** Where everything stands in the store. No key holds a readable number, code, session id or subject. */
export interface Keys {
  ledger(lane: Lane, phone: PhoneNumber): string
  grants(subject: string): string
  devices(subject: string): string
  enrolment(session: string): string
  /** The wrong codes of a subject. */
  failures(subject: string): string
  /** A counter: what it counts, and for whom. */
  counter(kind: string, whom: string): string
}

export function createKeys(namespace: string, secrets: Secrets): Keys {
  const key = (kind: string, tag: string) => `tf1:${namespace}:${kind}:${tag}`
  return {
    ledger: (lane, phone) => key(lane, secrets.tag('number-tag', phone)),
    grants: (subject) => key('grants', fingerprint(subject)),
    devices: (subject) => key('devices', fingerprint(subject)),
    enrolment: (session) => key('enrolment', fingerprint(session)),
    failures: (subject) => key('failures', fingerprint(subject)),
    counter: (kind, whom) => key(`count-${kind}`, whom),
  }
}

// Session ids and subjects come back with every request: the last ones seen are remembered.
const remembered = new Map<string, string>()
const mostRemembered = 1_000

/** SHA-256 of a session id or subject. These are long or public, so no key is needed. */
export function fingerprint(text: string): string {
  const known = remembered.get(text)
  if (known !== undefined) return known
  const tag = hash('sha256', text, 'base64url')
  if (remembered.size >= mostRemembered) remembered.clear()
  remembered.set(text, tag)
  return tag
}
