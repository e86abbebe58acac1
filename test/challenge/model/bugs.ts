import type { Verdict } from '../../../src/challenge/code-provider.js'
import type { Budget, BudgetName, Challenge, Ledger } from '../../../src/challenge/ledger/ledger.js'
import type { LedgerCommands } from './ledger-commands.js'

/** Takes the real commands and gives them with one mistake in them. */
type Bug = (real: LedgerCommands) => Partial<LedgerCommands>
type Name = keyof LedgerCommands
type Arguments<Command extends Name> = Parameters<LedgerCommands[Command]>
type Decision<Command extends Name> = ReturnType<LedgerCommands[Command]>

/** The decision with another ledger after it, where there is one. */
const then = <Made extends { readonly next?: Ledger }>(
  decision: Made,
  change: (next: Ledger) => Ledger,
): Made => (decision.next === undefined ? decision : { ...decision, next: change(decision.next) })

/** The command in a wrapping that knows its arguments. */
const around =
  <Command extends Name>(
    command: Command,
    wrapped: (
      run: (...args: Arguments<Command>) => Decision<Command>,
      ...args: Arguments<Command>
    ) => unknown,
  ): Bug =>
  (real) => ({ [command]: (...args: Arguments<Command>) => wrapped(real[command] as never, ...args) })

/** The command with these arguments in place of its own. */
const told = <Command extends Name>(
  command: Command,
  change: (...args: Arguments<Command>) => Arguments<Command>,
) => around(command, (run, ...args) => run(...change(...args)))

/** The command on another ledger. */
const before = <Command extends Name>(command: Command, change: (...args: Arguments<Command>) => Ledger) =>
  told(command, (...args) => [change(...args), ...args.slice(1)] as never)

/** The command with another ledger after it. */
const after = <Command extends Name>(
  command: Command,
  change: (next: Ledger, ...args: Arguments<Command>) => Ledger,
) => around(command, (run, ...args) => then(run(...args), (next) => change(next, ...args)))

/** Another ledger after a success. */
const afterSuccess = (change: (next: Ledger, was: Ledger, holder: BudgetName) => Ledger) =>
  around('settle', (run, was, id, ...more) => {
    const decision = run(was, id, ...more)
    const isSuccess = decision.outcome.outcome === 'approved'
    return isSuccess ? then(decision, (next) => change(next, was, holderOf(was, id))) : decision
  })

/** This verdict heard as another one. */
const misheard = (verdict: Verdict, as: Verdict) =>
  told('settle', (ledger, id, said, ...more) => [ledger, id, said === verdict ? as : said, ...more])

/** The ledger with something else in one of its budgets. */
function within(
  ledger: Ledger,
  name: BudgetName,
  change: Partial<Budget> | ((budget: Budget) => Partial<Budget>),
): Ledger {
  const budget = ledger[name]
  return { ...ledger, [name]: { ...budget, ...(typeof change === 'function' ? change(budget) : change) } }
}

/** The ledger with another challenge of this budget, where there is one. */
const withChallenge = (ledger: Ledger, name: BudgetName, change: Partial<Challenge>): Ledger =>
  within(ledger, name, ({ challenge }) => ({ challenge: challenge && { ...challenge, ...change } }))

/** Whose check is under way as this attempt. */
const holderOf = (ledger: Ledger, attempt: string): BudgetName =>
  ledger.known.lease?.attempt === attempt ? 'known' : 'strangers'

const otherThan = (name: BudgetName): BudgetName => (name === 'known' ? 'strangers' : 'known')

/** Puts the failures of this budget back as they were. */
function keepFailures(next: Ledger, was: Ledger, name: BudgetName): Ledger {
  const { attemptsSinceSuccess, rejections, lockExpiresAt } = was[name]
  return within(next, name, { attemptsSinceSuccess, rejections, lockExpiresAt })
}

/** Mistakes that were made elsewhere. None of them is in the code: each is put in front of it here. */
export const bugs: Readonly<Record<string, Bug>> = {
  'no-owner': told('reserve', (ledger, attempt, ...more) => [
    ledger,
    { ...attempt, ...ledger[attempt.budget].challenge, id: attempt.id },
    ...more,
  ]),
  'reset on resend': after('resend', (next, _, { budget }) => withChallenge(next, budget, { attempts: 0 })),
  // The provider may answer 520 to a wrong code as to an outage; the ledger sees `rejected` for both.
  'refund on 520': misheard('rejected', 'not-sent'),
  'refund on timeout': misheard('unavailable', 'not-sent'),
  'no compare on settle': before('settle', (ledger, id) => {
    const { challenge, lease } = ledger[holderOf(ledger, id)]
    if (challenge === undefined || lease === undefined) return ledger
    return within(ledger, holderOf(ledger, id), {
      challenge: { ...challenge, expiresAt: challenge.maxExpiresAt },
      lease: { ...lease, challenge: challenge.id },
    })
  }),
  'no used-code memory': after('settle', (next) => ({ ...next, usedCodes: [] })),
  'per-session budget only': before('start', (ledger, { budget, session }) =>
    ledger[budget].challenge?.session === session ? ledger : within(ledger, budget, { challenge: undefined }),
  ),
  // The lock is decided where an attempt is reserved, because only one is ever in flight: the failure that
  // locks does so at once, and settling has nothing to look at. What a settle without a look at the lock
  // would let through elsewhere is, here, a reservation without one.
  'lock unchecked in settle': before('reserve', (ledger, { budget }) =>
    within(ledger, budget, { lockExpiresAt: 0 }),
  ),
  'lock not set by the attempt that fails': after('reserve', (next, was, { budget }) =>
    within(next, budget, { lockExpiresAt: was[budget].lockExpiresAt }),
  ),
  'refund twice': around('settle', (run, was, id, verdict, ...more) => {
    const decision = run(was, id, verdict, ...more)
    const { challenge } = was.strangers
    if (verdict !== 'not-sent' || decision.next !== undefined || challenge === undefined) return decision
    const next = withChallenge(was, 'strangers', { attempts: Math.max(0, challenge.attempts - 1) })
    return { outcome: { outcome: 'refunded' }, next }
  }),
  'what was settled is forgotten': after('settle', (next, _, id) =>
    within(next, next.known.settled?.attempt === id ? 'known' : 'strangers', { settled: undefined }),
  ),
  'what was settled goes with the challenge': after('start', (next, _, { budget }) =>
    within(next, budget, { settled: undefined }),
  ),
  'sliding lifetime': after('reserve', (next, _, { budget }, now, { codeLifetimeMs }) =>
    withChallenge(next, budget, { expiresAt: now + codeLifetimeMs, maxExpiresAt: now + codeLifetimeMs }),
  ),
  'refill on restart': after('start', (next, _, { budget }) => withChallenge(next, budget, { attempts: 0 })),
  'a code that expires early gives back what was guessed before': after('start', (next, _, { budget }) =>
    withChallenge(next, budget, { spentUntil: undefined }),
  ),
  'attempts never counted but the lease kept': after('reserve', (next, was, { budget }) => {
    const { challenge, attemptsSinceSuccess, lockExpiresAt } = was[budget]
    const counted = withChallenge(next, budget, { attempts: challenge?.attempts ?? 0 })
    return within(counted, budget, { attemptsSinceSuccess, lockExpiresAt })
  }),
  'settle without owning the lease': before('settle', (ledger, attempt, _, now) => {
    const { challenge, lease } = ledger.strangers
    const taken = { attempt, challenge: challenge?.id ?? '', code: lease?.code ?? '', expiresAt: now }
    return within(ledger, 'strangers', { lease: taken })
  }),
  'resend starts the deadline anew': after('resend', (next, _, { budget }, now, { codeLifetimeMs }) =>
    withChallenge(next, budget, { maxExpiresAt: now + codeLifetimeMs }),
  ),
  'cancel ends the attempts, too': after('cancel', (next, _, { budget }) =>
    within(next, budget, { challenge: undefined }),
  ),
  'cancel ends the cooldown': after('cancel', (next, _, { budget }) =>
    within(next, budget, ({ sends }) => ({ sends: sends.slice(0, -1) })),
  ),
  'a failed send is given back': told('settleSend', (ledger, order, sent, ...more) => [
    ledger,
    order,
    sent.result === 'failed' ? { result: 'not-sent' } : sent,
    ...more,
  ]),
  'a send that was refused buys guesses': told('settleSend', (ledger, order, ...more) => [
    ledger,
    { ...order, challenge: { ...order.challenge, attempts: Number.POSITIVE_INFINITY } },
    ...more,
  ]),
  'cooldown by channel': ({ start, resend }) => {
    const sendsOver = (ledger: Ledger, name: BudgetName, channel: string | undefined) =>
      within(ledger, name, ({ sends }) => ({ sends: sends.filter((send) => send.channel === channel) }))
    const merged = (was: Ledger, name: BudgetName) => (next: Ledger) =>
      within(next, name, ({ sends }) => ({ sends: [...new Set([...was[name].sends, ...sends])] }))
    return {
      start(ledger, command, ...args) {
        const { budget } = command
        const over = sendsOver(ledger, budget, command.channel)
        return then(start(over, command, ...args), merged(ledger, budget))
      },
      resend(ledger, command, ...args) {
        const { budget, channel = ledger[budget].challenge?.channel } = command
        const over = sendsOver(ledger, budget, channel)
        return then(resend(over, command, ...args), merged(ledger, budget))
      },
    }
  },
  'a code is sent that nobody may type': before('start', (ledger) =>
    within(ledger, 'strangers', { attemptTimes: [] }),
  ),
  'a day has no guesses of its own': before('reserve', (ledger) =>
    within(ledger, 'strangers', { attemptTimes: [] }),
  ),
  'a used code costs nothing': around('reserve', (run, ...args) => {
    const decision = run(...args)
    return decision.outcome.outcome === 'rejected' ? { outcome: decision.outcome } : decision
  }),
  'a lock is lengthened by trying': around('reserve', (run, was, attempt, now, limits) => {
    const { outcome, ...more } = run(was, attempt, now, limits)
    const locked = outcome.outcome === 'refused' && outcome.code === 'phone_locked'
    const next = within(was, attempt.budget, { lockExpiresAt: now + limits.lockMs })
    return locked ? { outcome, next } : { outcome, ...more }
  }),
  'every lock is as long as the first': after('reserve', (next, was, { budget }, now, { lockMs }) => {
    const longest = Math.max(was[budget].lockExpiresAt, now + lockMs)
    return within(next, budget, ({ lockExpiresAt }) => ({ lockExpiresAt: Math.min(lockExpiresAt, longest) }))
  }),
  'expired a moment late': told('reserve', (ledger, attempt, now, limits) => [
    ledger,
    attempt,
    now - 1,
    limits,
  ]),
  'a lease that never lapses': told('reserve', (...[ledger, attempt, now, limits]) => {
    return [ledger, attempt, now, { ...limits, leaseMs: 1e12 }]
  }),
  'success leaves the failures': afterSuccess(keepFailures),
  'an outage is judged': misheard('unavailable', 'rejected'),

  // ── two budgets in one ledger ──────────────────────────────────────────────────────────────────
  'one budget for all': ({ start, resend, reserve, cancel }) => ({
    start: (ledger, command, ...args) => start(ledger, { ...command, budget: 'strangers' }, ...args),
    resend: (ledger, command, ...args) => resend(ledger, { ...command, budget: 'strangers' }, ...args),
    reserve: (ledger, attempt, ...args) => reserve(ledger, { ...attempt, budget: 'strangers' }, ...args),
    cancel: (ledger, who, ...args) => cancel(ledger, { ...who, budget: 'strangers' }, ...args),
  }),
  'a failure counted in the other budget': after('reserve', (next, was, { budget }) => {
    const { attemptsSinceSuccess } = was[budget]
    const other = otherThan(budget)
    const moved = { attemptsSinceSuccess: next[other].attemptsSinceSuccess + 1 }
    return within(within(next, budget, { attemptsSinceSuccess }), other, moved)
  }),
  'the lock of strangers for known browsers, too': before('start', (ledger) =>
    within(ledger, 'known', { lockExpiresAt: ledger.strangers.lockExpiresAt }),
  ),
  'the cookie of another subject taken for known': told('reserve', (ledger, attempt, ...more) => {
    const { challenge } = ledger.known
    const known = challenge !== undefined && challenge.subject !== attempt.subject
    return [ledger, known ? { ...attempt, ...challenge, id: attempt.id } : attempt, ...more]
  }),
  'a stranger types the code of a known browser': told('reserve', (ledger, attempt, ...more) => [
    ledger,
    ledger.known.challenge ? { ...attempt, budget: 'known' } : attempt,
    ...more,
  ]),
  'a stranger supersedes a known challenge': before('start', (ledger, { budget }) =>
    budget === 'known' ? ledger : within(ledger, 'known', { challenge: undefined }),
  ),
  'codes of strangers checked while a known challenge is live': after('start', (next, was) =>
    was.strangers === next.strangers
      ? next
      : withChallenge(next, 'strangers', { expiresAt: was.strangers.challenge?.expiresAt ?? 0 }),
  ),
  'a known start refills strangers': after('start', (next, _, { budget }) =>
    budget === 'known' ? within(next, 'strangers', { challenge: undefined }) : next,
  ),
  'what strangers guessed is forgotten while a known challenge lives': after(
    'start',
    (next, was, { budget }) =>
      budget === 'known' && was.strangers.challenge
        ? withChallenge(next, 'strangers', { spentUntil: was.strangers.challenge.expiresAt })
        : next,
  ),
  'a known browser inherits the attempts of strangers': after('start', (next, was, { budget }) =>
    withChallenge(next, budget, {
      attempts: Math.max(next[budget].challenge?.attempts ?? 0, was.strangers.challenge?.attempts ?? 0),
    }),
  ),
  'one lease for both budgets': before('reserve', (ledger, { budget }) =>
    within(ledger, budget, ({ lease }) => ({ lease: lease ?? ledger[otherThan(budget)].lease })),
  ),
  'success forgives one budget only': afterSuccess((next, was, holder) =>
    keepFailures(next, was, otherThan(holder)),
  ),
  'success of the owner gives strangers another hour': afterSuccess((next) =>
    within(next, 'strangers', { attemptTimes: [] }),
  ),
  'success of the owner gives a thief of the cookie another hour': afterSuccess((next, _, holder) =>
    within(next, holder, { attemptTimes: [] }),
  ),
  'guesses for known browsers on top of those for strangers': around(
    'reserve',
    (run, was, attempt, now, limits) => {
      const other = otherThan(attempt.budget)
      const { attemptTimes, rejections } = was[other]
      const alone = within(was, other, { attemptTimes: [], rejections: 0 })
      const decision = run(alone, attempt, now, { ...limits, knownShare: 0 })
      return then(decision, (next) => within(next, other, { attemptTimes, rejections }))
    },
  ),
  'an operator enables one budget only': after('enable', (next, was) => keepFailures(next, was, 'known')),
  'the absolute caps counted in each budget': around('start', (run, was, command, ...more) => {
    const other = otherThan(command.budget)
    const decision = run(within(was, other, { sends: [] }), command, ...more)
    return then(decision, (next) => within(next, other, { sends: was[other].sends }))
  }),
  'a known send that never left ends the challenge of strangers': told(
    'settleSend',
    (ledger, order, ...more) => [ledger, { ...order, superseded: undefined }, ...more],
  ),
  'a refused send counted by the hour': after('settleSend', (next) =>
    within(next, 'strangers', ({ sends }) => ({
      sends: sends.map((send) => ({ ...send, refused: undefined })),
    })),
  ),
  'a wrong code remembered past a resend': after('resend', (next, was, { budget }) =>
    withChallenge(next, budget, { wrongCodes: was[budget].challenge?.wrongCodes }),
  ),
  'a wrong code remembered that was typed before the resend': before('settle', (ledger, id) =>
    within(ledger, holderOf(ledger, id), ({ lease, sends }) => ({
      lease: lease && { ...lease, send: sends.at(-1)?.id },
    })),
  ),
  'a wrong code that spends each time': before('reserve', (ledger, { budget }) =>
    withChallenge(ledger, budget, { wrongCodes: undefined }),
  ),
  'a code that was not typed before taken for a repeated one': told('reserve', (ledger, attempt, ...more) => {
    const [code] = ledger[attempt.budget].challenge?.wrongCodes ?? [attempt.code]
    return [ledger, { ...attempt, code: code ?? '' }, ...more]
  }),
  'a code without a verdict remembered as wrong': after('settle', (next, was, id, verdict) => {
    const code = was[holderOf(was, id)].lease?.code
    return verdict === 'unavailable' && code !== undefined
      ? withChallenge(next, holderOf(was, id), { wrongCodes: [code] })
      : next
  }),
}
