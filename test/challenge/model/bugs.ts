import type { Verdict } from '../../../src/challenge/code-provider.js'
import type { Challenge, Ledger, Rank, Side } from '../../../src/challenge/ledger/ledger.js'
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
const afterSuccess = (change: (next: Ledger, was: Ledger, rank: Rank) => Ledger) =>
  around('settle', (run, was, attempt, ...more) => {
    const decision = run(was, attempt, ...more)
    const isSuccess = decision.outcome.outcome === 'approved'
    return isSuccess ? then(decision, (next) => change(next, was, attempt.rank)) : decision
  })

/** This verdict heard as another one. */
const misheard = (verdict: Verdict, as: Verdict) =>
  told('settle', (ledger, attempt, said, ...more) => [ledger, attempt, said === verdict ? as : said, ...more])

/** The ledger with something else on one of its sides. */
const within = (
  ledger: Ledger,
  rank: Rank,
  change: Partial<Side> | ((side: Side) => Partial<Side>),
): Ledger => ({
  ...ledger,
  [rank]: { ...ledger[rank], ...(typeof change === 'function' ? change(ledger[rank]) : change) },
})

/** The ledger with another challenge, where there is one. */
const withChallenge = (
  ledger: Ledger,
  change: Partial<Challenge> | ((challenge: Challenge) => Partial<Challenge>),
): Ledger => {
  const { challenge } = ledger
  if (challenge === undefined) return ledger
  return {
    ...ledger,
    challenge: { ...challenge, ...(typeof change === 'function' ? change(challenge) : change) },
  }
}

const noAttempts = { stranger: 0, known: 0 }
const otherThan = (rank: Rank): Rank => (rank === 'known' ? 'stranger' : 'known')

/** What is counted of one rank looks to a command as this, and is put back after it. */
const unseen = <Command extends 'start' | 'reserve'>(
  command: Command,
  rankOf: (rank: Rank) => Rank,
  hidden: Partial<Side>,
): Bug =>
  around(command, (run, ...args) => {
    const [was, acting, ...more] = args
    const rank = rankOf(acting.rank)
    const decision = run(...([within(was, rank, hidden), acting, ...more] as unknown as Arguments<Command>))
    const kept = Object.fromEntries(Object.keys(hidden).map((name) => [name, was[rank][name as keyof Side]]))
    return then(decision as { next?: Ledger }, (next) => within(next, rank, kept))
  })

/** The commands that send, on other sends than there are; what they book is added to those. */
const overSends =
  (
    change: (ledger: Ledger, by: { rank: Rank; place: string | undefined; now: number }) => Ledger['sends'],
  ): Bug =>
  ({ start, resend }) => {
    const merged = (was: Ledger) => (next: Ledger) => {
      const isNew = (one: Ledger['sends'][number]) => was.sends.every(({ id }) => id !== one.id)
      return { ...next, sends: [...was.sends, ...next.sends.filter(isNew)] }
    }
    return {
      start(ledger, command, now, ...more) {
        const sends = change(ledger, { rank: command.rank, place: command.place, now })
        return then(start({ ...ledger, sends }, command, now, ...more), merged(ledger))
      },
      resend(ledger, command, now, ...more) {
        const sends = change(ledger, { rank: command.rank, place: ledger.challenge?.place, now })
        return then(resend({ ...ledger, sends }, command, now, ...more), merged(ledger))
      },
    }
  }

/** The challenge that is typed for was asked for by whoever types. */
const asOwner: Bug = told('reserve', (ledger, attempt, ...more) => [
  ledger,
  { ...attempt, session: attempt.sealed?.session ?? ledger.challenge?.session ?? attempt.session },
  ...more,
])

/** Mistakes that were made elsewhere. None of them is in the code: each is put in front of it here. */
export const bugs: Readonly<Record<string, Bug>> = {
  'no-owner': asOwner,
  'reset on resend': after('resend', (next) => withChallenge(next, { attempts: noAttempts })),
  // The provider may answer 520 to a wrong code as to an outage; the ledger sees `rejected` for both.
  'refund on 520': misheard('rejected', 'not-sent'),
  'refund on timeout': misheard('unavailable', 'not-sent'),
  'no compare on settle': before('settle', (ledger, { rank }) => {
    const { challenge } = ledger
    const { check } = ledger[rank]
    if (challenge === undefined || check?.challenge === undefined) return ledger
    const own = within(ledger, rank, { check: { ...check, challenge: challenge.id } })
    return withChallenge(own, { expiresAt: challenge.maxExpiresAt })
  }),
  'no used-code memory': after('settle', (next) => ({ ...next, usedCodes: [] })),
  'per-session budget only': before('start', (ledger, { session }) =>
    ledger.challenge?.session === session ? ledger : { ...ledger, challenge: undefined },
  ),
  'lock unchecked in settle': before('reserve', (ledger) => ({ ...ledger, lockExpiresAt: 0 })),
  'lock not set by the attempt that fails': after('settle', (next, was) => ({
    ...next,
    lockExpiresAt: Math.min(next.lockExpiresAt, was.lockExpiresAt),
  })),
  'refund twice': around('settle', (run, was, attempt, verdict, ...more) => {
    const decision = run(was, attempt, verdict, ...more)
    if (verdict !== 'not-sent' || decision.next !== undefined || was.challenge === undefined) return decision
    const next = withChallenge(was, ({ attempts }) => ({
      attempts: { ...attempts, [attempt.rank]: Math.max(0, attempts[attempt.rank] - 1) },
    }))
    return { ...decision, next }
  }),
  'sliding lifetime': after('reserve', (next, _, __, now, { codeLifetimeMs }) =>
    withChallenge(next, { expiresAt: now + codeLifetimeMs, maxExpiresAt: now + codeLifetimeMs }),
  ),
  'refill on restart': after('start', (next) => withChallenge(next, { attempts: noAttempts })),
  'a code that expires early gives back what was guessed before': after('start', (next) =>
    withChallenge(next, { spentUntil: undefined }),
  ),
  'attempts never counted but the check kept': after('reserve', (next, was, { rank }) =>
    within({ ...next, challenge: was.challenge }, rank, { attempts: was[rank].attempts }),
  ),
  'settle without owning the check': before('settle', (ledger, { id, rank, sealed }, _, __, now) => {
    const { check } = ledger[rank]
    const taken = {
      attempt: id,
      at: now,
      challenge: ledger.challenge?.id,
      code: check?.code ?? '',
      expiresAt: now,
    }
    return within(ledger, rank, { check: sealed ? check : taken, settled: undefined })
  }),
  'resend starts the deadline anew': after('resend', (next, _, __, now, { codeLifetimeMs }) =>
    withChallenge(next, { maxExpiresAt: now + codeLifetimeMs }),
  ),
  'cancel ends the attempts, too': after('cancel', (next) => ({ ...next, challenge: undefined })),
  'cancel ends the cooldown': after('cancel', (next) => ({ ...next, sends: next.sends.slice(0, -1) })),
  'a failed send is given back': told('settleSend', (ledger, order, sent, ...more) => [
    ledger,
    order,
    sent.result.result === 'failed' ? { result: { result: 'not-sent' } } : sent,
    ...more,
  ]),
  'a code is sent that nobody may type': unseen('start', () => 'stranger', { attempts: [] }),
  'a day has no guesses of its own': unseen('reserve', () => 'stranger', { attempts: [] }),
  'a used code costs nothing': around('reserve', (run, ...args) => {
    const decision = run(...args)
    return decision.outcome.outcome === 'rejected' ? { outcome: decision.outcome } : decision
  }),
  'a lock is lengthened by trying': around('reserve', (run, was, attempt, now, limits) => {
    const { outcome, ...more } = run(was, attempt, now, limits)
    const isLocked = outcome.outcome === 'refused' && outcome.code === 'phone_locked'
    return isLocked ? { outcome, next: { ...was, lockExpiresAt: now + limits.lockMs } } : { outcome, ...more }
  }),
  'every lock is as long as the first': after('settle', (next, was, ...[, , , now, { lockMs }]) => ({
    ...next,
    lockExpiresAt: Math.min(next.lockExpiresAt, Math.max(was.lockExpiresAt, now + lockMs)),
  })),
  'expired a moment late': told('reserve', (ledger, attempt, now, limits) => [
    ledger,
    attempt,
    now - 1,
    limits,
  ]),
  'a check that never lapses': told('reserve', (ledger, attempt, now, limits) => [
    ledger,
    attempt,
    now,
    { ...limits, checkMs: 1e12 },
  ]),
  'success leaves the failures': afterSuccess((next, was) => ({
    ...within(within(next, 'known', { rejections: was.known.rejections }), 'stranger', {
      rejections: was.stranger.rejections,
    }),
    lockExpiresAt: was.lockExpiresAt,
  })),
  'an outage is judged': misheard('unavailable', 'rejected'),

  // ── places ─────────────────────────────────────────────────────────────────────────────────────
  'a cooldown for all places': overSends(({ sends }, { place }) =>
    sends.map((send) => ({ ...send, place: place ?? send.place })),
  ),
  'a cooldown for each channel': around('start', (run, was, command, ...more) => {
    const sends = was.sends.filter(({ channel }) => channel === command.channel)
    const isNew = (one: Ledger['sends'][number]) => was.sends.every(({ id }) => id !== one.id)
    return then(run({ ...was, sends }, command, ...more), (next) => ({
      ...next,
      sends: [...was.sends, ...next.sends.filter(isNew)],
    }))
  }),
  'five an hour at each place': overSends(({ sends }, { place }) =>
    sends.filter((send) => send.place === place),
  ),
  'a code of the app is taken twice': before('settle', (ledger, { sealed }) =>
    sealed ? { ...ledger, lastStep: undefined } : ledger,
  ),
  'a code of the app costs no guess': after('reserve', (next, was, { rank, sealed }) =>
    sealed ? within(next, rank, { attempts: was[rank].attempts }) : next,
  ),
  'a wrong code of the app is no failure': after('settle', (next, was, { rank, sealed }, verdict) =>
    sealed && verdict === 'rejected' ? within(next, rank, { rejections: was[rank].rejections }) : next,
  ),
  'a start at the app is that of somebody else, too': told('reserve', (ledger, attempt, ...more) => [
    ledger,
    attempt.sealed ? { ...attempt, sealed: { ...attempt.sealed, session: attempt.session } } : attempt,
    ...more,
  ]),
  'the app ends the challenge of another session': afterSuccess((next) => ({
    ...next,
    challenge: undefined,
  })),
  'a call costs what a text costs': ({ start, resend }) => {
    const asText = (sends: Ledger['sends']) =>
      sends.map((send) =>
        send.channel === 'call' && send.state === 'sent' ? { ...send, channel: 'sms' } : send,
      )
    const again = (was: Ledger) => (next: Ledger) => ({
      ...next,
      sends: [...was.sends, ...next.sends.slice(was.sends.length)],
    })
    return {
      start: (was, ...more) => then(start({ ...was, sends: asText(was.sends) }, ...more), again(was)),
      resend: (was, ...more) => then(resend({ ...was, sends: asText(was.sends) }, ...more), again(was)),
    }
  },

  // ── what became of a send ──────────────────────────────────────────────────────────────────────
  'a refused send counted by the hour': after('settleSend', (next) => ({
    ...next,
    sends: next.sends.map((send) => (send.state === 'refused' ? { ...send, state: 'sent' } : send)),
  })),
  'a refused send holds up every channel': overSends(({ sends }) =>
    sends.map((send) => (send.state === 'refused' ? { ...send, state: 'unconfirmed' } : send)),
  ),
  'a refused send holds up nobody': overSends(({ sends }) =>
    sends.filter(({ state }) => state !== 'refused'),
  ),
  'an unconfirmed send counted by the hour': after('settleSend', (next) => ({
    ...next,
    sends: next.sends.map((send) => (send.state === 'unconfirmed' ? { ...send, state: 'sent' } : send)),
  })),
  'an unconfirmed send without a cooldown': overSends(({ sends }) =>
    sends.filter(({ state }) => state !== 'unconfirmed'),
  ),
  'a code without a verdict counted by the hour': after('settle', (next) => ({
    ...next,
    sends: next.sends.map((send) => ({ ...send, unjudged: undefined })),
  })),
  'a code without a verdict frees all sends': after('settle', (next) => ({
    ...next,
    sends: next.sends.map((send) =>
      next.sends.some(({ unjudged }) => unjudged) ? { ...send, unjudged: true as const } : send,
    ),
  })),
  'a booking whose answer was lost holds up the next': told('start', (ledger, command, now, limits) => [
    ledger,
    command,
    now,
    { ...limits, sendMs: 1e12 },
  ]),
  'a booking that is under way holds up nobody': told('start', (ledger, command, now, limits) => [
    ledger,
    command,
    now,
    { ...limits, sendMs: 0 },
  ]),
  'a send that never left does not bring back what it replaced': told(
    'settleSend',
    (ledger, order, ...more) => [ledger, { ...order, superseded: undefined }, ...more],
  ),
  'what is brought back has its guesses back': after('settleSend', (next, _, { superseded }) =>
    superseded && next.challenge?.id === superseded.id ? { ...next, challenge: superseded } : next,
  ),
  'what was started since is replaced by what comes back': after(
    'settleSend',
    (next, _, order, { result }) =>
      result.result === 'not-sent' && order.superseded && next.challenge?.id !== order.superseded.id
        ? { ...next, challenge: order.superseded }
        : next,
  ),

  // ── ranks ──────────────────────────────────────────────────────────────────────────────────────
  'one rank for all': ({ start, resend, reserve, settle }) => ({
    start: (ledger, command, ...args) => start(ledger, { ...command, rank: 'stranger' }, ...args),
    resend: (ledger, command, ...args) => resend(ledger, { ...command, rank: 'stranger' }, ...args),
    reserve: (ledger, attempt, ...args) => reserve(ledger, { ...attempt, rank: 'stranger' }, ...args),
    settle: (ledger, attempt, ...args) => settle(ledger, { ...attempt, rank: 'stranger' }, ...args),
  }),
  'the lock stops known browsers, too': around('start', (run, was, command, ...more) => {
    const [now] = more
    const isStopped = command.rank === 'known' && now < was.lockExpiresAt
    return isStopped ? { outcome: { outcome: 'refused', code: 'phone_locked' } } : run(was, command, ...more)
  }),
  'wrong codes of known browsers lock strangers': after('settle', (next, _, { rank }, verdict, ...more) => {
    const [, now, { lockMs, failuresBeforeLock }] = more
    const locks = rank === 'known' && verdict === 'rejected' && next.known.rejections === failuresBeforeLock
    return locks ? { ...next, lockExpiresAt: now + lockMs } : next
  }),
  'strangers may use all guesses': told('reserve', (ledger, attempt, now, limits) => [
    ledger,
    attempt,
    now,
    { ...limits, browsersAreKnown: false },
  ]),
  'guesses for known browsers on top of those for strangers': unseen('reserve', otherThan, {
    attempts: [],
    rejections: 0,
  }),
  'known browsers have what strangers have left of three fifths': around(
    'reserve',
    (run, was, attempt, now, limits) => {
      const isFull =
        attempt.rank === 'known' && was.known.attempts.filter((at) => at > now - 3_600_000).length >= 10
      return isFull
        ? { outcome: { outcome: 'refused', code: 'attempts_exhausted' } }
        : run(was, attempt, now, limits)
    },
  ),
  'one count of attempts for both ranks': ({ start, reserve }) => {
    const joint = (ledger: Ledger) =>
      withChallenge(ledger, ({ attempts: { stranger, known } }) => ({
        attempts: { stranger: stranger + known, known: stranger + known },
      }))
    return {
      start: (ledger, ...args) => start(joint(ledger), ...args),
      reserve: (ledger, ...args) => reserve(joint(ledger), ...args),
    }
  },
  'a known start refills strangers': after('start', (next, _, { rank }) =>
    rank === 'known'
      ? withChallenge(next, ({ attempts }) => ({ attempts: { ...attempts, stranger: 0 } }))
      : next,
  ),
  'a stranger supersedes a known challenge': before('start', (ledger, { rank }) =>
    rank === 'known' ? ledger : withChallenge(ledger, { rank: 'stranger' }),
  ),
  'a known browser waits for a stranger': before('start', (ledger, { rank }) =>
    rank === 'known' ? withChallenge(ledger, { rank: 'known' }) : ledger,
  ),
  'a known browser waits for the check of a stranger': before('reserve', (ledger, { rank }) =>
    within(ledger, rank, ({ check }) => ({ check: check ?? ledger[otherThan(rank)].check })),
  ),
  'a wrong code that comes late is not counted': around('settle', (run, was, attempt, ...more) => {
    const decision = run(was, attempt, ...more)
    const { rejections } = was[attempt.rank]
    return decision.outcome.outcome === 'gone'
      ? then(decision, (next) => within(next, attempt.rank, { rejections }))
      : decision
  }),
  'a right code that comes late may be used again': around('settle', (run, was, ...args) => {
    const decision = run(was, ...args)
    const { usedCodes } = was
    return decision.outcome.outcome === 'gone' ? then(decision, (next) => ({ ...next, usedCodes })) : decision
  }),
  'cooldowns count the sends of both ranks': overSends(({ sends }, { rank }) =>
    sends.map((send) => ({ ...send, rank })),
  ),
  'success forgives one rank only': afterSuccess((next, was, rank) =>
    within(next, otherThan(rank), { rejections: was[otherThan(rank)].rejections }),
  ),
  'success of the owner gives strangers another hour': afterSuccess((next) =>
    within(next, 'stranger', { attempts: [] }),
  ),
  'success of the owner gives a thief of the cookie another hour': afterSuccess((next, _, rank) =>
    within(next, rank, { attempts: [] }),
  ),
  'an operator enables strangers only': after('enable', (next, was) =>
    within(next, 'known', { rejections: was.known.rejections, attempts: was.known.attempts }),
  ),

  // ── what is remembered ─────────────────────────────────────────────────────────────────────────
  'a settle that is tried again is gone': before('settle', (ledger, { rank }) =>
    within(ledger, rank, { settled: undefined }),
  ),
  'a settle that is tried again is gone once a stranger has settled': after('settle', (next, _, { rank }) =>
    within(next, otherThan(rank), { settled: undefined }),
  ),
  'a wrong code remembered past a resend': after('resend', (next, was) =>
    withChallenge(next, { wrongCodes: was.challenge?.wrongCodes }),
  ),
  'a wrong code remembered that was typed before the resend': before('settle', (ledger, { rank }) =>
    within(ledger, rank, ({ check }) => ({ check: check && { ...check, send: ledger.sends.at(-1)?.id } })),
  ),
  'a wrong code that spends each time': before('reserve', (ledger) =>
    withChallenge(ledger, { wrongCodes: undefined }),
  ),
  'a code that was not typed before taken for a repeated one': told('reserve', (ledger, attempt, ...more) => {
    const [code] = ledger.challenge?.wrongCodes ?? [attempt.code]
    return [ledger, { ...attempt, code: code ?? '' }, ...more]
  }),
  'a code without a verdict remembered as wrong': after('settle', (next, was, { rank }, verdict) => {
    const code = was[rank].check?.code
    return verdict === 'unavailable' && code !== undefined
      ? withChallenge(next, { wrongCodes: [code] })
      : next
  }),
  'a code without a verdict is forgotten': after('settle', (next) =>
    withChallenge(next, { openCodes: undefined }),
  ),
  'a code whose verdict never came is forgotten': after('reserve', (next, was) =>
    withChallenge(next, { openCodes: was.challenge?.openCodes }),
  ),
}
