import { createHmac } from 'node:crypto'
import type { AccountChangeRequest, ChangeKind } from './changes.js'

/** For how long the address of the next page tells of a change. */
const newsMs = 60_000

/** Enough of a label to know the browser by: the rest would make the address long. */
const maxLabelLength = 60

/** A change that was made just now, with the name of its number or browser. */
export interface News {
  readonly kind: ChangeKind
  /** The last two digits of a number, or the label of a browser. */
  readonly about?: string | undefined
}

export function newsAbout(change: AccountChangeRequest): News {
  if ('number' in change) return { kind: change.kind, about: change.number.slice(-2) }
  if ('device' in change) return { kind: change.kind, about: change.device.label?.slice(0, maxLabelLength) }
  return { kind: change.kind }
}

/**
 * A change as the address of the next page tells of it, signed with the id of the session: a link from elsewhere, or an
 * old bookmark, would tell the person of a change that nobody has made.
 */
export function newsOf({ kind, about = '' }: News, session: string, at: number = Date.now()): string {
  const told = `${kind}.${at}.${Buffer.from(about).toString('base64url')}`
  return `${told}.${createHmac('sha256', session).update(told).digest('base64url')}`
}

/** What this session has changed just now, where the address tells of it. */
export function newsIn(text: unknown, session: string): News | undefined {
  const [kind, at, about = ''] = (typeof text === 'string' ? text : '').split('.') as [
    ChangeKind,
    ...string[],
  ]
  const news = { kind, about: Buffer.from(about, 'base64url').toString() || undefined }
  const isNew = Date.now() - Number(at) < newsMs
  return isNew && text === newsOf(news, session, Number(at)) ? news : undefined
}
