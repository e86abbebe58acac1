import type { Ledger } from '../../../src/challenge/ledger/ledger.js'
import type { LedgerCommands } from './ledger-commands.js'

/** Takes the real commands and gives them with one mistake in them. */
type Bug = (real: LedgerCommands) => Partial<LedgerCommands>

/** The decision with another ledger after it, where there is one. */
function after<Decision extends { readonly next?: Ledger }>(
  decision: Decision,
  change: (next: Ledger) => Ledger,
): Decision {
  return decision.next === undefined ? decision : { ...decision, next: change(decision.next) }
}

const withAttempts = (ledger: Ledger, attempts: number): Ledger =>
  ledger.challenge === undefined ? ledger : { ...ledger, challenge: { ...ledger.challenge, attempts } }

/** Mistakes that were made elsewhere. None of them is in the code: each is put in front of it here. */
export const bugs: Readonly<Record<string, Bug>> = {
  'no-owner': ({ reserve }) => ({
    reserve: (ledger, attempt, now, limits) =>
      reserve(ledger, { ...attempt, ...ledger.challenge, id: attempt.id }, now, limits),
  }),
  'reset on resend': ({ resend }) => ({
    resend: (...args) => after(resend(...args), (next) => withAttempts(next, 0)),
  }),
  // The provider may answer 520 to a wrong code as to an outage; the ledger sees `rejected` for both.
  'refund on 520': ({ settle }) => ({
    settle: (ledger, id, verdict, now, limits) =>
      settle(ledger, id, verdict === 'rejected' ? 'not-sent' : verdict, now, limits),
  }),
  'refund on timeout': ({ settle }) => ({
    settle: (ledger, id, verdict, now, limits) =>
      settle(ledger, id, verdict === 'unavailable' ? 'not-sent' : verdict, now, limits),
  }),
  'no compare on settle': ({ settle }) => ({
    settle(ledger, id, verdict, now, limits) {
      const { challenge, inFlight } = ledger
      if (challenge === undefined || inFlight === undefined) return settle(ledger, id, verdict, now, limits)
      const { void: _, ...live } = challenge
      return settle(
        { ...ledger, challenge: live, inFlight: { ...inFlight, challenge: live.id } },
        id,
        verdict,
        now,
        limits,
      )
    },
  }),
  'no used-code memory': ({ settle }) => ({
    settle: (...args) => after(settle(...args), (next) => ({ ...next, usedCodes: [] })),
  }),
  'per-session budget only': ({ start }) => ({
    start(ledger, command, now, limits) {
      const own = ledger.challenge?.session === command.binding.session
      const { challenge: _, ...others } = ledger
      return start(own ? ledger : others, command, now, limits)
    },
  }),
  // The lock is decided where an attempt is reserved, because only one is ever in flight: the failure that
  // locks does so at once, and settling has nothing to look at. What a settle without a look at the lock
  // would let through elsewhere is, here, a reservation without one.
  'lock unchecked in settle': ({ reserve }) => ({
    reserve: (ledger, ...args) => reserve({ ...ledger, lockedUntil: 0 }, ...args),
  }),
  'lock not set by the attempt that fails': ({ reserve }) => ({
    reserve: (ledger, ...args) =>
      after(reserve(ledger, ...args), (next) => ({ ...next, lockedUntil: ledger.lockedUntil })),
  }),
  'refund twice': ({ settle }) => ({
    settle(ledger, id, verdict, now, limits) {
      const decision = settle(ledger, id, verdict, now, limits)
      if (verdict !== 'not-sent' || decision.next !== undefined || ledger.challenge === undefined)
        return decision
      const next = withAttempts(ledger, Math.max(0, ledger.challenge.attempts - 1))
      return { outcome: { outcome: 'refunded' }, next }
    },
  }),
  'sliding lifetime': ({ reserve }) => ({
    reserve: (ledger, attempt, now, limits) =>
      after(reserve(ledger, attempt, now, limits), (next) => {
        if (next.challenge === undefined) return next
        const end = now + limits.codeLifetimeMs
        return { ...next, challenge: { ...next.challenge, expiresAt: end, deadline: end } }
      }),
  }),
  'refill on restart': ({ start }) => ({
    start: (...args) => after(start(...args), (next) => withAttempts(next, 0)),
  }),
  'attempts never counted but the lease kept': ({ reserve }) => ({
    reserve: (ledger, ...args) =>
      after(reserve(ledger, ...args), (next) => ({
        ...withAttempts(next, ledger.challenge?.attempts ?? 0),
        failures: ledger.failures,
        lockedUntil: ledger.lockedUntil,
      })),
  }),
  'settle without owning the lease': ({ settle }) => ({
    settle(ledger, id, verdict, now, limits) {
      const challenge = ledger.challenge?.id ?? ''
      const code = ledger.inFlight?.code ?? ''
      return settle(
        { ...ledger, inFlight: { attempt: id, challenge, code, until: now } },
        id,
        verdict,
        now,
        limits,
      )
    },
  }),
  'resend starts the deadline anew': ({ resend }) => ({
    resend: (ledger, command, now, limits) =>
      after(resend(ledger, command, now, limits), (next) =>
        next.challenge === undefined
          ? next
          : { ...next, challenge: { ...next.challenge, deadline: now + limits.codeLifetimeMs } },
      ),
  }),
  'cancel ends the attempts, too': ({ cancel }) => ({
    cancel: (...args) => after(cancel(...args), ({ challenge: _, ...next }) => next),
  }),
  'cancel ends the cooldown': ({ cancel }) => ({
    cancel: (...args) => after(cancel(...args), (next) => ({ ...next, sends: next.sends.slice(0, -1) })),
  }),
  'a failed send is given back': ({ settleSend }) => ({
    settleSend: (ledger, id, sent, ...args) =>
      settleSend(ledger, id, sent.result === 'failed' ? { result: 'not-sent' } : sent, ...args),
  }),
  'a send that was refused buys guesses': ({ settleSend }) => ({
    settleSend: (ledger, id, sent, now, limits, booked) =>
      settleSend(
        ledger,
        id,
        sent,
        now,
        limits,
        booked && {
          ...booked,
          challenge: { ...booked.challenge, attempts: Number.POSITIVE_INFINITY },
        },
      ),
  }),
  'cooldown by channel': ({ start, resend }) => {
    const sendsOver = (ledger: Ledger, channel: string | undefined) => ({
      ...ledger,
      sends: ledger.sends.filter((send) => send.channel === channel),
    })
    const merged = (before: Ledger, next: Ledger) => ({
      ...next,
      sends: [...new Set([...before.sends, ...next.sends])],
    })
    return {
      start: (ledger, command, ...args) =>
        after(start(sendsOver(ledger, command.channel), command, ...args), (next) => merged(ledger, next)),
      resend: (ledger, command, ...args) =>
        after(
          resend(sendsOver(ledger, command.channel ?? ledger.challenge?.channel), command, ...args),
          (next) => merged(ledger, next),
        ),
    }
  },
  'a code is sent that nobody may type': ({ start }) => ({
    start: (ledger, ...args) => start({ ...ledger, checks: [] }, ...args),
  }),
  'a day has no guesses of its own': ({ reserve }) => ({
    reserve: (ledger, ...args) => reserve({ ...ledger, checks: [] }, ...args),
  }),
  'a used code costs nothing': ({ reserve }) => ({
    reserve: (ledger, ...args) => {
      const decision = reserve(ledger, ...args)
      return decision.outcome.outcome === 'rejected' ? { outcome: decision.outcome } : decision
    },
  }),
  'a lock is lengthened by trying': ({ reserve }) => ({
    reserve(ledger, attempt, now, limits) {
      const decision = reserve(ledger, attempt, now, limits)
      const locked = decision.outcome.outcome === 'refused' && decision.outcome.code === 'phone_locked'
      return locked ? { ...decision, next: { ...ledger, lockedUntil: now + limits.lockMs } } : decision
    },
  }),
  'every lock is as long as the first': ({ reserve }) => ({
    reserve: (ledger, attempt, now, limits) =>
      after(reserve(ledger, attempt, now, limits), (next) => ({
        ...next,
        lockedUntil: Math.min(next.lockedUntil, Math.max(ledger.lockedUntil, now + limits.lockMs)),
      })),
  }),
  'expired a moment late': ({ reserve }) => ({
    reserve: (ledger, attempt, now, limits) => reserve(ledger, attempt, now - 1, limits),
  }),
  'a lease that never lapses': ({ reserve }) => ({
    reserve: (ledger, attempt, now, limits) => reserve(ledger, attempt, now, { ...limits, leaseMs: 1e12 }),
  }),
  'success leaves the failures': ({ settle }) => ({
    settle: (ledger, ...args) => {
      const decision = settle(ledger, ...args)
      return decision.outcome.outcome === 'approved'
        ? after(decision, (next) => ({ ...next, failures: ledger.failures, judged: ledger.judged }))
        : decision
    },
  }),
  'an outage is judged': ({ settle }) => ({
    settle: (ledger, id, verdict, ...args) =>
      settle(ledger, id, verdict === 'unavailable' ? 'rejected' : verdict, ...args),
  }),
}
