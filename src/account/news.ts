import { createHmac } from 'node:crypto'
import type { AccountChangeRequest, ChangeKind } from './changes.js'

/** Time for which the address of the next page reports a change. */
const newsMs = 60_000

/** Enough of a label to recognise the browser. A longer label would make the address long. */
const maxLabelLength = 60

/** A recent change, with the name of its number or browser. */
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
 * Returns the change for the address of the next page, signed with the session id. Without the signature, a foreign
 * link or an old bookmark could report a change that never happened.
 */
export function newsOf({ kind, about = '' }: News, session: string, at: number = Date.now()): string {
  const told = `${kind}.${at}.${Buffer.from(about).toString('base64url')}`
  return `${told}.${createHmac('sha256', session).update(told).digest('base64url')}`
}

/** Returns the recent change of this session that an address reports, or undefined. */
export function newsIn(text: unknown, session: string): News | undefined {
  const [kind, at, about = ''] = (typeof text === 'string' ? text : '').split('.') as [
    ChangeKind,
    ...string[],
  ]
  const news = { kind, about: Buffer.from(about, 'base64url').toString() || undefined }
  const isNew = Date.now() - Number(at) < newsMs
  return isNew && text === newsOf(news, session, Number(at)) ? news : undefined
}
