import type { Refusal } from '../commands.js'
import { findDisplayedChallenge, type SubmittedCode } from './challenge.js'
import type { Challenge, Decision, LedgerSnapshot } from './ledger.js'
import { afterSuccess, maxUsedCodes, usedUp } from './settlement.js'

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
 * Returns whether a challenge was accepted before, or may have been: only the newest are remembered, so one that started
 * before the oldest of them is refused (replay).
 */
export function isSpent(
  { ledger, limits }: LedgerSnapshot,
  { sealed, tag }: Pick<SignedChallenge, 'sealed' | 'tag'>,
): boolean {
  const { maxExpiresAt, lifetimeMs = limits.codeLifetimeMs } = sealed
  const signed = ledger.usedCodes.filter(({ by }) => by !== undefined)
  const isFull = signed.length >= maxUsedCodes
  return signed.some(
    ({ code, at }, index) => code === tag || (isFull && index === 0 && maxExpiresAt - lifetimeMs <= at),
  )
}

/**
 * Accepts a verified signature, before the use of its key is stored. Each challenge is accepted once, whatever signs it
 * (replay). Lock and windows do not concern it, because they limit guesses.
 */
export function acceptSignature(view: LedgerSnapshot, signed: SignedChallenge): Decision<SignatureOutcome> {
  const live = findDisplayedChallenge(view, signed)
  if ('outcome' in live) return { outcome: live }
  const { ledger, now } = view
  const { id, tag } = signed
  // A store that executed the swap twice returns our own success.
  if (ledger.usedCodes.some(({ by }) => by === id)) return { outcome: { outcome: 'approved' } }
  if (isSpent(view, signed)) return { outcome: { outcome: 'used' } }
  return {
    outcome: { outcome: 'approved' },
    next: { ...ledger, ...usedUp(view, { code: tag, by: id }), at: now },
  }
}

/** Records the success of an accepted signature, after the use of its key was stored. */
export function completeSignature(view: LedgerSnapshot, signed: SignedChallenge): Decision<undefined> {
  return { outcome: undefined, next: { ...afterSuccess(view, signed, signed.sealed), at: view.now } }
}
