import { present } from '../lib/json.js'
import { minuteMs } from '../lib/time.js'
import { type Refusal, refused, type VerifyCommand, type VerifyOutcome } from './commands.js'
import { type DomainServices, hashId } from './keys.js'
import { countConsecutiveWrongCodes, type RequesterTag } from './ledger/ledger.js'
import { acceptSignature, completeSignature, isSpent } from './ledger/signatures.js'
import { maxWrongSignatures } from './limits.js'
import { networksOf, timesBehindProxy } from './rate-limits/networks.js'
import {
  type Account,
  browserFields,
  challengeFields,
  type DecisionContext,
} from './reach/decision-context.js'
import type { SignedFactor } from './reach/factors.js'
import { challengeToSign } from './reach/signer.js'
import type { PendingChallenge } from './sealed-challenges.js'
import { newCommandId } from './updater.js'

const windowMs = 10 * minuteMs

/** A sealed challenge that the browser signs. */
type SignedPending = PendingChallenge & { readonly factor: SignedFactor }

/** Creates verify for signatures: count, check, accept once. No provider is involved. */
export function createVerifySignature({ store, keys, secrets, emit }: DomainServices) {
  /**
   * Counts a signature before its check. Only wrong ones stay counted. Known browsers have a count of their own, because an
   * attacker may share the network of the owner.
   */
  async function count({ key, address, proxied }: Account, { browserKind }: RequesterTag) {
    const network = networksOf(String(address)).customer
    const counter = keys.counter('count-auth-signatures', hashId(`${key} ${browserKind} ${network}`))
    const max = maxWrongSignatures * (proxied ? timesBehindProxy : 1)
    const { count: used, resetInMs } = await store.increment(counter, windowMs)
    const refusal: Refusal | undefined =
      used > max ? { ...refused('attempts_exhausted', resetInMs), limit: 'address' } : undefined
    // A failed refund must not undo a success.
    const refund = () => Promise.allSettled([store.increment(counter, windowMs, -1)])
    return { refusal, left: max - used, refund }
  }

  return async function verifySignature(
    { signature }: VerifyCommand,
    account: Account,
    { factor, challenge, id: sealedId, displayed }: SignedPending,
    { snapshot, requester }: DecisionContext,
  ): Promise<VerifyOutcome> {
    const { refusal, left, refund } = await count(account, requester)
    if (refusal !== undefined) return refusal
    const { hasChoice, subject, ledger } = account
    const eventFields = challengeFields(account, factor, challenge)
    const reject = (used: boolean): VerifyOutcome => {
      const inARow = countConsecutiveWrongCodes(snapshot.ledger)
      emit({ type: 'challenge.rejected', attemptsRemaining: left, used, inARow, ...eventFields })
      return { outcome: 'rejected', attemptsRemaining: left }
    }

    const id = newCommandId()
    const tag = secrets.tag('code-tag', `${factor.key} ${challenge.id}`)
    // Sent twice: its counter has not increased since, and no copy is the reason.
    if (isSpent(snapshot, { sealed: challenge, tag })) return reject(true)
    const refuse = ({ isCopied }: { readonly isCopied?: boolean }) => {
      if (isCopied) emit({ type: 'passkey.copied', subject })
      return reject(false)
    }
    const checked = await factor.signer.verify(challengeToSign(String(sealedId)), signature)
    if (checked.result !== 'approved') return refuse(checked)
    const signed = { id, tag, displayed, sealed: challenge, hasChoice, ...requester }
    const { outcome: accepted } = await ledger.run((view) => acceptSignature(view, signed))
    if (accepted.outcome === 'refused') return accepted
    if (accepted.outcome === 'used') return reject(true)
    const rejected = await checked.recordUse()
    if (rejected !== undefined) return refuse(rejected)
    // Only now is it a success: a refused use must not reset the account.
    await ledger.run((view) => completeSignature(view, signed))
    await refund()
    emit({ type: 'challenge.approved', ...eventFields, ...browserFields(account, requester) })
    const { purpose, channel, bound } = challenge
    return { outcome: 'approved', purpose, channel, ...present({ bound }) }
  }
}
