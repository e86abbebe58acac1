import type { Budget, BudgetName, Challenge, Decision, Ledger } from '../../../src/challenge/ledger/ledger.js'
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

/** The ledger with something else in one of its budgets. */
const within = (ledger: Ledger, name: BudgetName, change: (budget: Budget) => Partial<Budget>): Ledger => ({
  ...ledger,
  [name]: { ...ledger[name], ...change(ledger[name]) },
})

/** The ledger with another challenge of this budget, where there is one. */
const withChallenge = (
  ledger: Ledger,
  name: BudgetName,
  change: (challenge: Challenge) => Partial<Challenge>,
): Ledger =>
  within(ledger, name, ({ challenge }) => ({
    challenge: challenge && { ...challenge, ...change(challenge) },
  }))

const withAttempts = (ledger: Ledger, name: BudgetName, attempts: number): Ledger =>
  withChallenge(ledger, name, () => ({ attempts }))

/** Whose check is under way as this attempt. */
const holderOf = (ledger: Ledger, attempt: string): BudgetName =>
  ledger.known.lease?.attempt === attempt ? 'known' : 'strangers'

const otherThan = (name: BudgetName): BudgetName => (name === 'known' ? 'strangers' : 'known')

/** Mistakes that were made elsewhere. None of them is in the code: each is put in front of it here. */
export const bugs: Readonly<Record<string, Bug>> = {
  'no-owner': ({ reserve }) => ({
    reserve: (ledger, attempt, now, limits) =>
      reserve(ledger, { ...attempt, ...ledger[attempt.budget].challenge, id: attempt.id }, now, limits),
  }),
  'reset on resend': ({ resend }) => ({
    resend: (ledger, command, ...args) =>
      after(resend(ledger, command, ...args), (next) => withAttempts(next, command.budget, 0)),
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
      const name = holderOf(ledger, id)
      const { challenge, lease } = ledger[name]
      if (challenge === undefined || lease === undefined) return settle(ledger, id, verdict, now, limits)
      const revived = within(ledger, name, () => ({
        challenge: { ...challenge, voided: undefined },
        lease: { ...lease, challenge: challenge.id },
      }))
      return settle(revived, id, verdict, now, limits)
    },
  }),
  'no used-code memory': ({ settle }) => ({
    settle: (...args) => after(settle(...args), (next) => ({ ...next, usedCodes: [] })),
  }),
  'per-session budget only': ({ start }) => ({
    start(ledger, command, now, limits) {
      const { budget, session } = command.binding
      const own = ledger[budget].challenge?.session === session
      return start(
        own ? ledger : within(ledger, budget, () => ({ challenge: undefined })),
        command,
        now,
        limits,
      )
    },
  }),
  // The lock is decided where an attempt is reserved, because only one is ever in flight: the failure that
  // locks does so at once, and settling has nothing to look at. What a settle without a look at the lock
  // would let through elsewhere is, here, a reservation without one.
  'lock unchecked in settle': ({ reserve }) => ({
    reserve: (ledger, attempt, ...args) =>
      reserve(
        within(ledger, attempt.budget, () => ({ lockExpiresAt: 0 })),
        attempt,
        ...args,
      ),
  }),
  'lock not set by the attempt that fails': ({ reserve }) => ({
    reserve: (ledger, attempt, ...args) =>
      after(reserve(ledger, attempt, ...args), (next) =>
        within(next, attempt.budget, () => ({ lockExpiresAt: ledger[attempt.budget].lockExpiresAt })),
      ),
  }),
  'refund twice': ({ settle }) => ({
    settle(ledger, id, verdict, now, limits) {
      const decision = settle(ledger, id, verdict, now, limits)
      const { challenge } = ledger.strangers
      if (verdict !== 'not-sent' || decision.next !== undefined || challenge === undefined) return decision
      const next = withAttempts(ledger, 'strangers', Math.max(0, challenge.attempts - 1))
      return { outcome: { outcome: 'refunded' }, next }
    },
  }),
  'sliding lifetime': ({ reserve }) => ({
    reserve: (ledger, attempt, now, limits) =>
      after(reserve(ledger, attempt, now, limits), (next) => {
        const end = now + limits.codeLifetimeMs
        return withChallenge(next, attempt.budget, () => ({ expiresAt: end, maxExpiresAt: end }))
      }),
  }),
  'refill on restart': ({ start }) => ({
    start: (ledger, command, ...args) =>
      after(start(ledger, command, ...args), (next) => withAttempts(next, command.binding.budget, 0)),
  }),
  'attempts never counted but the lease kept': ({ reserve }) => ({
    reserve: (ledger, attempt, ...args) =>
      after(reserve(ledger, attempt, ...args), (next) => {
        const { challenge, attemptsSinceSuccess, lockExpiresAt } = ledger[attempt.budget]
        const counted = withAttempts(next, attempt.budget, challenge?.attempts ?? 0)
        return within(counted, attempt.budget, () => ({ attemptsSinceSuccess, lockExpiresAt }))
      }),
  }),
  'settle without owning the lease': ({ settle }) => ({
    settle(ledger, id, verdict, now, limits) {
      const { challenge, lease } = ledger.strangers
      const taken = { attempt: id, challenge: challenge?.id ?? '', code: lease?.code ?? '', expiresAt: now }
      return settle(
        within(ledger, 'strangers', () => ({ lease: taken })),
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
        withChallenge(next, command.budget, () => ({ maxExpiresAt: now + limits.codeLifetimeMs })),
      ),
  }),
  'cancel ends the attempts, too': ({ cancel }) => ({
    cancel: (ledger, who, ...args) =>
      after(cancel(ledger, who, ...args), (next) =>
        within(next, who.budget, () => ({ challenge: undefined })),
      ),
  }),
  'cancel ends the cooldown': ({ cancel }) => ({
    cancel: (ledger, who, ...args) =>
      after(cancel(ledger, who, ...args), (next) =>
        within(next, who.budget, ({ sends }) => ({ sends: sends.slice(0, -1) })),
      ),
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
    const sendsOver = (ledger: Ledger, name: BudgetName, channel: string | undefined) =>
      within(ledger, name, ({ sends }) => ({ sends: sends.filter((send) => send.channel === channel) }))
    const merged = (before: Ledger, name: BudgetName, next: Ledger) =>
      within(next, name, ({ sends }) => ({ sends: [...new Set([...before[name].sends, ...sends])] }))
    return {
      start(ledger, command, ...args) {
        const { budget } = command.binding
        const over = sendsOver(ledger, budget, command.channel)
        return after(start(over, command, ...args), (next) => merged(ledger, budget, next))
      },
      resend(ledger, command, ...args) {
        const { budget } = command
        const over = sendsOver(ledger, budget, command.channel ?? ledger[budget].challenge?.channel)
        return after(resend(over, command, ...args), (next) => merged(ledger, budget, next))
      },
    }
  },
  'a code is sent that nobody may type': ({ start }) => ({
    start: (ledger, ...args) =>
      start(
        within(ledger, 'strangers', () => ({ attemptTimes: [] })),
        ...args,
      ),
  }),
  'a day has no guesses of its own': ({ reserve }) => ({
    reserve: (ledger, ...args) =>
      reserve(
        within(ledger, 'strangers', () => ({ attemptTimes: [] })),
        ...args,
      ),
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
      const longer = within(ledger, attempt.budget, () => ({ lockExpiresAt: now + limits.lockMs }))
      return locked ? { ...decision, next: longer } : decision
    },
  }),
  'every lock is as long as the first': ({ reserve }) => ({
    reserve: (ledger, attempt, now, limits) =>
      after(reserve(ledger, attempt, now, limits), (next) =>
        within(next, attempt.budget, ({ lockExpiresAt }) => ({
          lockExpiresAt: Math.min(
            lockExpiresAt,
            Math.max(ledger[attempt.budget].lockExpiresAt, now + limits.lockMs),
          ),
        })),
      ),
  }),
  'expired a moment late': ({ reserve }) => ({
    reserve: (ledger, attempt, now, limits) => reserve(ledger, attempt, now - 1, limits),
  }),
  'a lease that never lapses': ({ reserve }) => ({
    reserve: (ledger, attempt, now, limits) => reserve(ledger, attempt, now, { ...limits, leaseMs: 1e12 }),
  }),
  'success leaves the failures': ({ settle }) => ({
    settle: (ledger, id, ...args) =>
      onSuccess(settle(ledger, id, ...args), keptFailures(ledger, holderOf(ledger, id))),
  }),
  'an outage is judged': ({ settle }) => ({
    settle: (ledger, id, verdict, ...args) =>
      settle(ledger, id, verdict === 'unavailable' ? 'rejected' : verdict, ...args),
  }),

  // ── two budgets in one ledger ──────────────────────────────────────────────────────────────────
  'one budget for all': ({ start, resend, reserve, cancel }) => ({
    start: (ledger, command, ...args) =>
      start(ledger, { ...command, binding: { ...command.binding, budget: 'strangers' } }, ...args),
    resend: (ledger, command, ...args) => resend(ledger, { ...command, budget: 'strangers' }, ...args),
    reserve: (ledger, attempt, ...args) => reserve(ledger, { ...attempt, budget: 'strangers' }, ...args),
    cancel: (ledger, who, ...args) => cancel(ledger, { ...who, budget: 'strangers' }, ...args),
  }),
  'a failure counted in the other budget': ({ reserve }) => ({
    reserve: (ledger, attempt, ...args) =>
      after(reserve(ledger, attempt, ...args), (next) => {
        const { attemptsSinceSuccess } = ledger[attempt.budget]
        const moved = within(next, attempt.budget, () => ({ attemptsSinceSuccess }))
        return within(moved, otherThan(attempt.budget), (budget) => ({
          attemptsSinceSuccess: budget.attemptsSinceSuccess + 1,
        }))
      }),
  }),
  'the lock of strangers for known browsers, too': ({ start }) => ({
    start: (ledger, ...args) =>
      start(
        within(ledger, 'known', () => ({ lockExpiresAt: ledger.strangers.lockExpiresAt })),
        ...args,
      ),
  }),
  'the cookie of another subject taken for known': ({ reserve }) => ({
    reserve: (ledger, attempt, ...args) => {
      const { challenge } = ledger.known
      const known = challenge !== undefined && challenge.subject !== attempt.subject
      return reserve(ledger, known ? { ...attempt, ...challenge, id: attempt.id } : attempt, ...args)
    },
  }),
  'a stranger types the code of a known browser': ({ reserve }) => ({
    reserve: (ledger, attempt, ...args) =>
      reserve(ledger, ledger.known.challenge ? { ...attempt, budget: 'known' } : attempt, ...args),
  }),
  'a stranger supersedes a known challenge': ({ start }) => ({
    start: (ledger, command, ...args) =>
      command.binding.budget === 'known'
        ? start(ledger, command, ...args)
        : start(
            within(ledger, 'known', () => ({ challenge: undefined })),
            command,
            ...args,
          ),
  }),
  'codes of strangers checked while a known challenge is live': ({ start }) => ({
    start: (ledger, ...args) =>
      after(start(ledger, ...args), (next) => ({
        ...next,
        strangers:
          ledger.strangers === next.strangers
            ? next.strangers
            : {
                ...next.strangers,
                challenge: next.strangers.challenge && { ...next.strangers.challenge, voided: undefined },
              },
      })),
  }),
  'a known start refills strangers': ({ start }) => ({
    start: (ledger, command, ...args) =>
      after(start(ledger, command, ...args), (next) =>
        command.binding.budget === 'known'
          ? within(next, 'strangers', () => ({ challenge: undefined }))
          : next,
      ),
  }),
  'what strangers guessed is forgotten while a known challenge lives': ({ start }) => ({
    start: (ledger, command, ...args) =>
      after(start(ledger, command, ...args), (next) =>
        command.binding.budget === 'known'
          ? withChallenge(next, 'strangers', ({ expiresAt }) => ({
              expiresAt: ledger.strangers.challenge?.expiresAt ?? expiresAt,
            }))
          : next,
      ),
  }),
  'a known browser inherits the attempts of strangers': ({ start }) => ({
    start: (ledger, command, ...args) =>
      after(start(ledger, command, ...args), (next) =>
        withChallenge(next, command.binding.budget, ({ attempts }) => ({
          attempts: Math.max(attempts, ledger.strangers.challenge?.attempts ?? 0),
        })),
      ),
  }),
  'one lease for both budgets': ({ reserve }) => ({
    reserve: (ledger, attempt, ...args) => {
      const { lease } = ledger[otherThan(attempt.budget)]
      const shared = within(ledger, attempt.budget, (budget) => ({ lease: budget.lease ?? lease }))
      return reserve(shared, attempt, ...args)
    },
  }),
  'success forgives one budget only': ({ settle }) => ({
    settle: (ledger, id, ...args) =>
      onSuccess(settle(ledger, id, ...args), keptFailures(ledger, otherThan(holderOf(ledger, id)))),
  }),
  'success of the owner gives strangers another hour': ({ settle }) => ({
    settle: (ledger, id, ...args) =>
      onSuccess(settle(ledger, id, ...args), (next) =>
        within(next, 'strangers', () => ({ attemptTimes: [] })),
      ),
  }),
  'success of the owner gives a thief of the cookie another hour': ({ settle }) => ({
    settle: (ledger, id, ...args) =>
      onSuccess(settle(ledger, id, ...args), (next) =>
        within(next, holderOf(ledger, id), () => ({ attemptTimes: [] })),
      ),
  }),
  'guesses for known browsers on top of those for strangers': ({ reserve }) => ({
    reserve: (ledger, attempt, now, limits) => {
      const other = otherThan(attempt.budget)
      const { attemptTimes, rejections } = ledger[other]
      const alone = within(ledger, other, () => ({ attemptTimes: [], rejections: 0 }))
      return after(reserve(alone, attempt, now, { ...limits, knownShare: 0 }), (next) =>
        within(next, other, () => ({ attemptTimes, rejections })),
      )
    },
  }),
  'an operator enables one budget only': ({ enable }) => ({
    enable: (ledger, ...args) => after(enable(ledger, ...args), keptFailures(ledger, 'known')),
  }),
  'the absolute caps counted in each budget': ({ start }) => ({
    start: (ledger, command, ...args) => {
      const other = otherThan(command.binding.budget)
      const alone = within(ledger, other, () => ({ sends: [] }))
      return after(start(alone, command, ...args), (next) =>
        within(next, other, () => ({ sends: ledger[other].sends })),
      )
    },
  }),
  'a known send that never left ends the challenge of strangers': ({ settleSend }) => ({
    settleSend: (ledger, id, sent, now, limits) => settleSend(ledger, id, sent, now, limits),
  }),
  'a refused send counted by the hour': ({ settleSend }) => ({
    settleSend: (...args) =>
      after(settleSend(...args), (next) =>
        within(next, 'strangers', ({ sends }) => ({
          sends: sends.map((send) => ({ ...send, refused: undefined })),
        })),
      ),
  }),
  'a refused send leaves its guesses free': ({ settleSend }) => ({
    settleSend: (ledger, id, sent, now, limits, order) =>
      settleSend(
        ledger,
        id,
        sent,
        now,
        limits,
        order && { ...order, challenge: { ...order.challenge, attempts: 99 } },
      ),
  }),
  'a wrong code remembered past a resend': ({ resend }) => ({
    resend: (ledger, command, ...args) =>
      after(resend(ledger, command, ...args), (next) =>
        withChallenge(next, command.budget, () => ({
          wrongCodes: ledger[command.budget].challenge?.wrongCodes,
        })),
      ),
  }),
  'a wrong code remembered that was typed before the resend': ({ settle }) => ({
    settle: (ledger, id, ...args) => {
      const name = holderOf(ledger, id)
      const send = ledger[name].sends.at(-1)?.id
      return settle(
        within(ledger, name, ({ lease }) => ({ lease: lease && { ...lease, send } })),
        id,
        ...args,
      )
    },
  }),
  'a wrong code that spends each time': ({ reserve }) => ({
    reserve: (ledger, attempt, ...args) =>
      reserve(
        withChallenge(ledger, attempt.budget, () => ({ wrongCodes: undefined })),
        attempt,
        ...args,
      ),
  }),
  'a code that was not typed before taken for a repeated one': ({ reserve }) => ({
    reserve: (ledger, attempt, ...args) => {
      const wrong = ledger[attempt.budget].challenge?.wrongCodes
      return reserve(ledger, wrong === undefined ? attempt : { ...attempt, code: wrong[0] ?? '' }, ...args)
    },
  }),
  'a code without a verdict remembered as wrong': ({ settle }) => ({
    settle: (ledger, id, verdict, ...args) => {
      const decision = settle(ledger, id, verdict, ...args)
      const name = holderOf(ledger, id)
      const code = ledger[name].lease?.code
      if (verdict !== 'unavailable' || code === undefined) return decision
      return after(decision, (next) => withChallenge(next, name, () => ({ wrongCodes: [code] })))
    },
  }),
}

/** Changes the ledger after a success. */
function onSuccess<Outcome extends { readonly outcome: string }>(
  decision: Decision<Outcome>,
  change: (next: Ledger) => Ledger,
): Decision<Outcome> {
  return decision.outcome.outcome === 'approved' ? after(decision, change) : decision
}

/** Puts the failures of this budget back as they were. */
const keptFailures =
  (before: Ledger, name: BudgetName) =>
  (next: Ledger): Ledger =>
    within(next, name, () => {
      const { attemptsSinceSuccess, rejections, lockExpiresAt } = before[name]
      return { attemptsSinceSuccess, rejections, lockExpiresAt }
    })
