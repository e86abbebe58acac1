import type { SendResult } from '../code-provider.js'
import type { LedgerLimits } from '../limits.js'
import { isVoided, spentUntil, voided } from './challenge.js'
import {
  type Budget,
  type Challenge,
  type Decision,
  type Ledger,
  type LedgerView,
  type Send,
  withBudget,
} from './ledger.js'
import { sendsFor } from './pacing.js'
import { type Booked, defaultLifetimeMs } from './sends.js'

export interface SettledSend {
  /** Nothing was sent: other counters may refund it. */
  readonly uncounted?: true
}

/** Records what became of a booked send. Repeating it changes nothing. */
export function settleSend(
  { ledger, now, limits }: LedgerView,
  { sendId, challenge: asBooked, superseded }: Booked,
  sent: SendResult,
): Decision<SettledSend> {
  const name = asBooked.budget
  const budget = ledger[name]
  const send = budget.sends.find(({ id }) => id === sendId)
  if (send === undefined || send.refused) return { outcome: {} }
  const isUncounted = isUndelivered(sent) && !guessedMeanwhile(budget, asBooked)
  const sends = settledSends(budget.sends, send, sent, isUncounted)
  const uncounted = isUncounted ? ({ uncounted: true } as const) : {}

  const current = budget.challenge
  if (current === undefined || current.id !== send.challenge || isVoided(current)) {
    return { outcome: uncounted, next: withBudget(ledger, name, { ...budget, sends }, now) }
  }
  const others = sendsFor(current, budget.sends).filter(({ id }) => id !== sendId)
  // A code that was ended at the provider must not come back as one to be typed.
  const isDead = sent.cancelled === true && isUndelivered(sent)
  const unsent = sent.result === 'not-sent' && others.length === 0 && !isDead
  const challenge = isDead
    ? voided(current)
    : unsent
      ? ownAgain(current, superseded)
      : withSend(current, others, send, sent, limits)
  const next = withBudget(ledger, name, { ...budget, challenge, sends }, now)
  return {
    outcome: uncounted,
    next: unsent && name === 'known' ? strangersAgain(next, superseded, now) : next,
  }
}

/** Whether it is certain that nothing was delivered. */
function isUndelivered({ result }: SendResult): boolean {
  return result === 'not-sent' || result === 'failed' || result === 'misconfigured'
}

/**
 * The sends once it is known what became of one. One that never left costs nothing, one that the provider refused its
 * cooldown. A provider may have sent by another channel than asked for: a call counts as one.
 */
function settledSends(
  sends: readonly Send[],
  send: Send,
  sent: SendResult,
  isUncounted: boolean,
): readonly Send[] {
  if (isUncounted && sent.result === 'not-sent') return sends.filter((known) => known !== send)
  const after = isUncounted
    ? ({ ...send, refused: true } as const)
    : 'channel' in sent && sent.channel !== undefined
      ? { ...send, channel: sent.channel }
      : send
  return sends.map((known) => (known === send ? after : known))
}

/** Otherwise each refused start would refund the send but keep its guesses. */
function guessedMeanwhile({ challenge }: Budget, asBooked: Challenge): boolean {
  return challenge?.id === asBooked.id && challenge.attempts > asBooked.attempts
}

/** The superseded challenge is live again, with its code; guesses stay spent. */
function ownAgain(challenge: Challenge, superseded: Challenge | undefined): Challenge | undefined {
  if (superseded?.budget !== challenge.budget) return voided(challenge)
  return { ...superseded, attempts: challenge.attempts }
}

/** While the challenge of the known browser was live, strangers could start none of their own. */
function strangersAgain(ledger: Ledger, superseded: Challenge | undefined, now: number): Ledger {
  if (superseded?.budget !== 'strangers') return ledger
  const ended = ledger.strangers.challenge
  const { expiresAt, spentUntil: until } = superseded
  const challenge = ended === undefined ? superseded : { ...ended, expiresAt, spentUntil: until }
  return withBudget(ledger, 'strangers', { ...ledger.strangers, challenge }, now)
}

function withSend(
  challenge: Challenge,
  others: readonly Send[],
  send: Send,
  sent: SendResult,
  limits: LedgerLimits,
): Challenge | undefined {
  // The code also went to another number: typing it proves nothing.
  if (sent.result === 'foreign-number') return voided(challenge)
  if (sent.result === 'sent' || sent.result === 'unconfirmed') {
    const { channel = send.channel, handle, fixed, lifetimeMs = defaultLifetimeMs } = sent
    const expiresAt = Math.min(send.at + Math.min(lifetimeMs, limits.codeLifetimeMs), challenge.maxExpiresAt)
    // A code may arrive, and be typed, before the provider has answered: it was compared with the handle before.
    // The earlier code lives for as long as it did.
    const until = others.length > 0 ? spentUntil(challenge) : challenge.spentUntil
    return { ...challenge, channel, expiresAt, spentUntil: until, handle, fixed, wrongCodes: undefined }
  }
  // An earlier code of this challenge may still be on its way; without one there is nothing to type.
  return others.length === 0 ? voided(challenge) : challenge
}
