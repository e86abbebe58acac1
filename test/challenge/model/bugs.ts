import type { Verdict } from '../../../src/challenge/exchange/code-provider.js'
import type { BrowserKind, BrowserUsage, Challenge, Ledger } from '../../../src/challenge/ledger/ledger.js'
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

/** This verdict heard as another one. */
const misheard = (verdict: Verdict, as: Verdict) =>
  told('settle', (ledger, attempt, said, ...more) => [ledger, attempt, said === verdict ? as : said, ...more])

type Change<Of> = Partial<Of> | ((of: Of) => Partial<Of>)

const changed = <Of extends object>(of: Of, change: Change<Of>): Of => ({
  ...of,
  ...(typeof change === 'function' ? change(of) : change),
})

/** The ledger with something else on one of its sides. */
const within = (ledger: Ledger, browserKind: BrowserKind, change: Change<BrowserUsage>): Ledger => ({
  ...ledger,
  [browserKind]: changed(ledger[browserKind], change),
})

/** The ledger with another challenge, where there is one. */
const withChallenge = (ledger: Ledger, change: Change<Challenge>): Ledger =>
  ledger.challenge === undefined ? ledger : { ...ledger, challenge: changed(ledger.challenge, change) }

const noAttempts = { unknown: 0, known: 0 }
const otherThan = (browserKind: BrowserKind): BrowserKind => (browserKind === 'known' ? 'unknown' : 'known')

/** Whoever types sees no attempts and no wrong codes of one rank, which are put back after it. */
const unseen = (rankOf: (browserKind: BrowserKind) => BrowserKind) =>
  around('reserve', (run, was, attempt, ...more) => {
    const browserKind = rankOf(attempt.browserKind)
    const decision = run(within(was, browserKind, { attempts: [], rejections: 0 }), attempt, ...more)
    const { attempts, rejections } = was[browserKind]
    return then(decision, (next) => within(next, browserKind, { attempts, rejections }))
  })

/** A start that sees other sends than there are. What it books is added to those. */
const onSends = (change: (sends: Ledger['sends'], factor: string) => Ledger['sends']) =>
  around('start', (run, was, command, ...more) => {
    const decision = run({ ...was, sends: change(was.sends, command.factor) }, command, ...more)
    return then(decision, (next) => ({ ...next, sends: [...was.sends, ...next.sends.slice(-1)] }))
  })

/** Mistakes that were made elsewhere. None of them is in the code: each is put in front of it here. */
export const bugs: Readonly<Record<string, Bug>> = {
  'no-owner': told('reserve', (ledger, attempt, ...more) => [
    ledger,
    { ...attempt, session: attempt.sealed?.session ?? ledger.challenge?.session ?? attempt.session },
    ...more,
  ]),
  'reset on resend': after('resend', (next) => withChallenge(next, { attempts: noAttempts })),
  // The provider may answer 520 to a wrong code as to an outage; the ledger sees `rejected` for both.
  'refund on 520': misheard('rejected', 'not-sent'),
  'refund on timeout': misheard('unavailable', 'not-sent'),
  'no compare on settle': before('settle', (ledger, { browserKind }) => {
    const { challenge } = ledger
    const { check } = ledger[browserKind]
    if (challenge === undefined || check?.challenge === undefined) return ledger
    const own = within(ledger, browserKind, { check: { ...check, challenge: challenge.id } })
    return withChallenge(own, { expiresAt: challenge.maxExpiresAt })
  }),
  'a code of another account accepted': told('reserve', (ledger, attempt, ...more) => [
    ledger,
    { ...attempt, lastSends: undefined },
    ...more,
  ]),
  'a start that waits for a code of another account': told('start', (ledger, command, ...more) => [
    ledger,
    { ...command, lastSends: undefined },
    ...more,
  ]),
  'no used-code memory': after('settle', (next) => ({ ...next, usedCodes: [] })),
  'per-session budget only': before('start', (ledger, { session }) =>
    ledger.challenge?.session === session ? ledger : { ...ledger, challenge: undefined },
  ),
  'lock unchecked in settle': before('reserve', (ledger) => ({ ...ledger, lockExpiresAt: 0 })),
  'refund twice': around('settle', (run, was, attempt, verdict, ...more) => {
    const decision = run(was, attempt, verdict, ...more)
    if (verdict !== 'not-sent' || decision.next !== undefined || was.challenge === undefined) return decision
    const next = withChallenge(was, ({ attempts }) => ({
      attempts: { ...attempts, [attempt.browserKind]: Math.max(0, attempts[attempt.browserKind] - 1) },
    }))
    return { ...decision, next }
  }),
  'sliding lifetime': after('reserve', (next, _, __, now, { codeLifetimeMs }) =>
    withChallenge(next, { expiresAt: now + codeLifetimeMs, maxExpiresAt: now + codeLifetimeMs }),
  ),
  'a code that expires early gives back what was guessed before': after('start', (next) =>
    withChallenge(next, { attemptsCountUntil: undefined }),
  ),
  'a day has no guesses of its own': unseen(() => 'unknown'),
  'a used code costs nothing': around('reserve', (run, ...args) => {
    const decision = run(...args)
    return decision.outcome.outcome === 'rejected' ? { outcome: decision.outcome } : decision
  }),

  // ── places ─────────────────────────────────────────────────────────────────────────────────────
  'a cooldown for all places': onSends((sends, factor) => sends.map((send) => ({ ...send, factor }))),
  'a code of the app is taken twice': before('settle', (ledger, { sealed }) =>
    sealed ? { ...ledger, lastStep: undefined } : ledger,
  ),

  // ── what became of a send ──────────────────────────────────────────────────────────────────────
  'a refused send holds up nobody': onSends((sends) => sends.filter(({ state }) => state !== 'refused')),
  'a code without a verdict counted by the hour': after('settle', (next) => ({
    ...next,
    sends: next.sends.map((send) => ({ ...send, unjudged: undefined })),
  })),
  'codes without a verdict make nobody wait': onSends((sends) =>
    sends.map((send) => (send.unjudged ? { ...send, unjudged: undefined, state: 'unconfirmed' } : send)),
  ),
  'an outage may use up all codes of a day': told('start', (ledger, command, now, limits) => [
    ledger,
    command,
    now,
    { ...limits, codesWithoutVerdictPerDay: 1e12 },
  ]),
  'a booking whose answer was lost holds up the next': told('start', (ledger, command, now, limits) => [
    ledger,
    command,
    now,
    { ...limits, sendMs: 1e12 },
  ]),
  'what was started since is replaced by what comes back': after(
    'settleSend',
    (next, _, order, { result }) =>
      result === 'not-sent' && order.superseded && next.challenge?.id !== order.superseded.id
        ? { ...next, challenge: order.superseded }
        : next,
  ),

  'a code is taken that may be for other fields': told('reserve', (ledger, attempt, ...more) => [
    ledger,
    { ...attempt, tellsCodesApart: false },
    ...more,
  ]),

  // ── ranks ──────────────────────────────────────────────────────────────────────────────────────
  'the lock stops known browsers, too': around('start', (run, was, command, ...more) => {
    const [now] = more
    const isStopped = command.browserKind === 'known' && now < was.lockExpiresAt
    return isStopped
      ? { outcome: { outcome: 'refused', code: 'account_locked' } }
      : run(was, command, ...more)
  }),
  'guesses for known browsers on top of those for strangers': unseen(otherThan),
  'a stranger supersedes a known challenge': before('start', (ledger, { browserKind }) =>
    browserKind === 'known' ? ledger : withChallenge(ledger, { browserKind: 'unknown' }),
  ),
  'a known browser waits for the check of a stranger': before('reserve', (ledger, { browserKind }) =>
    within(ledger, browserKind, ({ check }) => ({ check: check ?? ledger[otherThan(browserKind)].check })),
  ),
  'a right code that comes late may be used again': around('settle', (run, was, ...args) => {
    const decision = run(was, ...args)
    const { usedCodes } = was
    return decision.outcome.outcome === 'gone' ? then(decision, (next) => ({ ...next, usedCodes })) : decision
  }),
  'success of the owner gives a thief of the cookie another hour': around('settle', (run, ...args) => {
    const decision = run(...args)
    const [, { browserKind }] = args
    const isSuccess = decision.outcome.outcome === 'approved'
    return isSuccess ? then(decision, (next) => within(next, browserKind, { attempts: [] })) : decision
  }),

  // ── what is remembered ─────────────────────────────────────────────────────────────────────────
  'a settle that is tried again is gone': before('settle', (ledger, { browserKind }) =>
    within(ledger, browserKind, { settled: undefined }),
  ),
  'a wrong code remembered past a resend': after('resend', (next, was) =>
    withChallenge(next, { wrongCodes: was.challenge?.wrongCodes }),
  ),
  'a code whose verdict never came is forgotten': after('reserve', (next, was) =>
    withChallenge(next, { undecidedCodes: was.challenge?.undecidedCodes }),
  ),
}
