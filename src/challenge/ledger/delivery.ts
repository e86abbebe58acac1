import type { Challenge, LedgerSnapshot } from './ledger.js'
import { isLost, sendsFor } from './pacing.js'

/** Returns the state of the last code of this challenge. For a lost one it is unknown whether it was sent. */
export function deliveryOf(view: LedgerSnapshot, challenge: Challenge): 'booked' | 'sent' | 'unconfirmed' {
  const send = sendsFor(challenge, view.ledger.sends).at(-1)
  if (send === undefined || isLost(send, view)) return 'unconfirmed'
  return send.state === 'booked' || send.state === 'unconfirmed' ? send.state : 'sent'
}

/** Returns whether the last code of this challenge was sent after another one. */
export function hasNewerCode({ ledger }: LedgerSnapshot, challenge: Challenge): boolean {
  const codes = sendsFor(challenge, ledger.sends)
  return codes.length > 1 && codes.at(-1)?.state === 'sent'
}
