import { createHmac } from 'node:crypto'
import type { ChangeKind } from './changes.js'

/** For how long the address of the next page tells of a change. */
const newsMs = 60_000

/**
 * A change as the address of the next page tells of it, signed with the id of the session: a link from elsewhere, or an
 * old bookmark, would tell the person of a change that nobody has made.
 */
export function newsOf(kind: ChangeKind, session: string, at: number = Date.now()): string {
  const told = `${kind}.${at}`
  return `${told}.${createHmac('sha256', session).update(told).digest('base64url')}`
}

/** What this session has changed just now, where the address tells of it. */
export function newsIn(text: unknown, session: string): ChangeKind | undefined {
  const [kind, at] = (typeof text === 'string' ? text : '').split('.') as [ChangeKind, string?]
  const isNew = Date.now() - Number(at) < newsMs
  return isNew && text === newsOf(kind, session, Number(at)) ? kind : undefined
}
