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
  readonly label?: string | undefined
}

export function newsAbout(change: AccountChangeRequest): News {
  if ('number' in change) return { kind: change.kind, label: change.number.slice(-2) }
  if ('passkey' in change) return { kind: change.kind, label: change.passkey.label }
  if ('device' in change) return { kind: change.kind, label: change.device.label?.slice(0, maxLabelLength) }
  return { kind: change.kind }
}

/**
 * Returns the change for the address of the next page, signed with the session id. Without the signature, a foreign
 * link or an old bookmark could report a change that never happened.
 */
export function newsOf({ kind, label = '' }: News, session: string, at: number = Date.now()): string {
  const signed = `${kind}.${at}.${Buffer.from(label).toString('base64url')}`
  return `${signed}.${createHmac('sha256', session).update(signed).digest('base64url')}`
}

/** Returns the recent change of this session that an address reports, or undefined. */
export function newsIn(text: unknown, session: string): News | undefined {
  const [kind, at, label = ''] = (typeof text === 'string' ? text : '').split('.') as [
    ChangeKind,
    ...string[],
  ]
  const news = { kind, label: Buffer.from(label, 'base64url').toString() || undefined }
  const isNew = Date.now() - Number(at) < newsMs
  return isNew && text === newsOf(news, session, Number(at)) ? news : undefined
}
