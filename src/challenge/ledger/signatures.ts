import type { Refusal } from '../commands.js'
import { findDisplayedChallenge, type SubmittedCode } from './challenge.js'
import type { Challenge, Decision, LedgerSnapshot } from './ledger.js'
import { afterSuccess, usedUp } from './settlement.js'

/** A challenge whose signature was verified. */
export interface SignedChallenge extends SubmittedCode {
  /** Id of the command that accepts it. */
  readonly id: string
  readonly sealed: Challenge
  /** Tag of the challenge. */
  readonly tag: string
  /** True if the account has several factors. */
  readonly hasChoice: boolean
}

type SignatureOutcome =
  | { readonly outcome: 'approved' }
  /** The challenge was accepted before. */
  | { readonly outcome: 'used' }
  | Refusal

/**
 * Accepts a verified signature. Each challenge is accepted once, whatever signs it (replay). Lock and windows do not
 * concern it, because they limit guesses.
 */
export function acceptSignature(view: LedgerSnapshot, signed: SignedChallenge): Decision<SignatureOutcome> {
  const live = findDisplayedChallenge(view, signed)
  if ('outcome' in live) return { outcome: live }
  const { ledger, now } = view
  const { id, tag } = signed
  const earlier = ledger.usedCodes.find(({ code }) => code === tag)
  // A store that executed the swap twice returns our own success.
  if (earlier !== undefined) return { outcome: { outcome: earlier.by === id ? 'approved' : 'used' } }
  const used = { ...ledger, ...usedUp(view, { code: tag, by: id }), at: now }
  return { outcome: { outcome: 'approved' }, next: afterSuccess(used, signed, live) }
}
