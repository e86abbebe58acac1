import type { LimitName, ServiceLimit } from '../../events.js'
import type { Awaitable } from '../../lib/promises.js'
import { dayMs, hourMs, minuteMs } from '../../lib/time.js'
import type { CounterResult } from '../../store/store.js'
import type { Requester } from '../commands.js'
import { type CounterKind, hashId } from '../keys.js'
import type { BudgetName } from '../ledger/ledger.js'
import type { Lane, Limits } from '../limits.js'
import { networksOf, timesBehindProxy } from './networks.js'

/** What a command counts against: its person, place and number. */
export interface Counted extends Requester {
  readonly lane: Lane
  /** The request is anonymous: the subject stands for the session, and has no budget of its own. */
  readonly anonymous: boolean
  readonly address: string | undefined
  /** The address may be that of a proxy that `trust proxy` does not cover. */
  readonly proxied: boolean
  /** ISO 3166 code of the number; empty for an authenticator app. */
  readonly country: string
  /** Key of the number's ledger: a tag of the number. */
  readonly key: string
}

/** What one hit too many is told. */
interface Told {
  readonly code: 'send_limit' | 'sending_paused' | 'attempts_exhausted'
  /** What is counted, for the operator. */
  readonly limit: LimitName
  /** Which limit of the whole service it is, when it is one. */
  readonly service?: ServiceLimit
}

/**
 * When a hit comes back: the provider was not asked to send, or refused to; the number was proven; the code was not
 * judged wrong; the code that `beforeSend` was asked about went out.
 */
export type Back = 'not-sent' | 'refused' | 'proven' | 'not-rejected' | 'sent'

/** Counters that are read before anything is decided. */
export type Group = 'address' | 'numbers' | 'unproven'

/** One counter that spans numbers. */
export interface Row {
  /** What it counts. */
  readonly kind: CounterKind
  /** Of whom. */
  readonly of: (counted: Counted) => readonly Holder[]
  readonly windowMs: number
  /** Its window ends with each moment, instead of beginning with the first hit. */
  readonly slides?: true
  readonly max: number | (() => number)
  /** What one hit too many is told; absent where it is not refused. */
  readonly told?: Told | undefined
  /**
   * Once it is full, a hit counts neither in it nor in these: a session that has had its share adds nothing to its
   * address, a number that it has tried nothing to its numbers.
   */
  readonly spares?: Group | undefined
  /** When a hit comes back; absent: never. */
  readonly back?: readonly Back[] | undefined
  readonly group?: Group
}

/** Whose hits are counted together, and how many times the limit they have. */
interface Holder {
  readonly tag: string
  readonly times: number
}

/**
 * Counts a hit in the last 24 hours, or with -1 takes back the one that it counted. `resetInMs`: until there is room for
 * one, or until the limit no longer nears.
 */
export type SlidingCount = (by: number) => Awaitable<CounterResult>

/** One counter in the hands of one request. */
export interface Hit {
  readonly row: Row
  readonly key: string
  readonly max: number
  windowMs: number
  /** Counts it where its window slides. */
  readonly sliding: SlidingCount | undefined
  /** With what is left of the window, as it was read or counted last; 0 before. */
  count: number
  resetInMs: number
}

/** More people share a /56 or /48 than one address, but one attacker may hold it. */
const timesUnproven = 1.5
const addressMs = 10 * minuteMs
/** How much one session adds to its address in that time: it must not use up what others there need. */
const share = { sends: 5, verifications: 20 } as const

const session = (of: Counted) => [{ tag: hashId(of.session), times: 1 }]
const subject = (of: Counted) => (of.anonymous ? [] : [{ tag: hashId(of.subject), times: 1 }])
const address = (of: Counted) => networks(of, Number.POSITIVE_INFINITY)
const unprovenAddress = (of: Counted) => networks(of, timesUnproven)
/** One number in one session. */
const numberThere = ({ session: id, key }: Counted) => [{ tag: hashId(`${id} ${key}`), times: 1 }]
/** One session at one address. */
const sessionThere = ({ session: id, address: from }: Counted) =>
  from === undefined ? [] : [{ tag: hashId(`${id} ${networksOf(from)[0].name}`), times: 1 }]

function networks({ address: from, proxied }: Counted, mostTimes: number): readonly Holder[] {
  const all = from === undefined ? [] : networksOf(from)
  return all.map(({ name, times }) => {
    return { tag: hashId(name), times: Math.min(times, mostTimes) * (proxied ? timesBehindProxy : 1) }
  })
}

const ofSession: Told = { code: 'send_limit', limit: 'session' }
const ofSubject: Told = { code: 'send_limit', limit: 'subject' }
const ofAddress: Told = { code: 'send_limit', limit: 'address' }
const tooManyWrong: Told = { code: 'attempts_exhausted', limit: 'subject' }

const undelivered: readonly Back[] = ['not-sent', 'refused']

/** Every counter of a lane that spans numbers, by what is counted in it. */
export function counterTable(lane: Lane, max: Limits) {
  const [maxSends, maxVerifications] =
    lane === 'auth'
      ? [max.sendsPerAddressPer10Min, max.verificationsPerAddressPer10Min]
      : [max.enrolSendsPerAddressPer10Min, max.enrolVerificationsPerAddressPer10Min]

  function addressRows(
    what: 'sends' | 'verifications',
    most: number | false,
    beyondShare: Pick<Row, 'told' | 'back' | 'spares'>,
  ): readonly Row[] {
    if (most === false) return []
    const [ofOne, ofAll] = [`count-${lane}-share-${what}`, `count-${lane}-address-${what}`] as const
    const windowMs = addressMs
    const { back } = beyondShare
    return [
      { kind: ofOne, of: sessionThere, windowMs, max: share[what], ...beyondShare },
      { kind: ofAll, of: address, windowMs, max: most, told: ofAddress, back, group: 'address' },
    ]
  }

  const { enrolSendsPerAddressPerDay: perDay } = max
  const unproven: Row = {
    kind: 'count-enrol-address-unproven',
    of: unprovenAddress,
    windowMs: dayMs,
    // Counted without a limit, too: what one address wastes must not close a country (`signupGuard`).
    max: perDay === false ? Number.POSITIVE_INFINITY : perDay,
    told: ofAddress,
    // SMS pumping. What the provider refused stays counted, so that nobody tries numbers for free. What is proven
    // comes back: people who share the address of a carrier take nothing from each other.
    back: ['not-sent', 'proven'],
    group: 'unproven',
  }
  const numbers = { windowMs: dayMs, max: max.numbersPerSessionPerDay, told: ofSession }
  /** Of everybody, whoever sends. */
  const ofService = (span: string, windowMs: number, service: ServiceLimit): Row => ({
    kind: `count-${lane}-service-sends`,
    of: () => [{ tag: span, times: 1 }],
    windowMs,
    max: max[service],
    told: { code: 'sending_paused', limit: 'service', service },
  })
  const signups: readonly Row[] = [
    // Different numbers of one session.
    { kind: 'count-enrol-tried', of: numberThere, windowMs: dayMs, max: 1, spares: 'numbers' },
    { kind: 'count-enrol-numbers', of: session, ...numbers, group: 'numbers' },
    // SMS pumping uses unproven numbers: the cost of a day is bounded.
    { ...ofService('hour', hourMs, 'serviceEnrolSendsPerHour'), back: undelivered },
    { ...ofService('day', dayMs, 'serviceEnrolSendsPerDay'), slides: true, back: undelivered },
    unproven,
  ]
  const perSession = { windowMs: hourMs, max: max.sendsPerSessionPerHour, told: ofSession, back: undelivered }
  const perSubject = { windowMs: dayMs, max: max.sendsPerSubjectPerDay, told: ofSubject, back: undelivered }
  const sends: readonly Row[] = [
    { kind: `count-${lane}-session-sends`, of: session, ...perSession },
    { kind: `count-${lane}-subject-sends`, of: subject, ...perSubject },
    // Of each lane by itself: sign-ups use up nothing of what sign-ins may send.
    ofService('minute', minuteMs, 'serviceSendsPerMinute'),
    ...addressRows('sends', maxSends, { spares: 'address' }),
    ...(lane === 'enrol' ? signups : []),
  ]
  return {
    sends,
    /** Questions to `beforeSend`. A share refuses here, where elsewhere it only spares the address: they are billed. */
    questions: addressRows('verifications', maxVerifications, { told: ofSession, back: ['sent'] }),
    verifications: addressRows('verifications', maxVerifications, { spares: 'address' }),
    /** Given back when the number is proven. */
    unproven: lane === 'enrol' ? [unproven] : [],
    /**
     * Wrong codes of one subject over all its numbers, so that a change of number gives no new guesses. Each lane has
     * its own, and so have known browsers: neither wrong codes of a phone verification nor those of somebody who
     * has only the password may keep anybody from signing in (denial of service by lockout).
     */
    tally(budget: BudgetName): readonly Row[] {
      const kind = `${budget === 'known' ? budget : lane}-tally` as const
      const { failuresPerSubjectPerDay } = max
      const back = ['not-rejected'] as const
      return [{ kind, of: subject, windowMs: dayMs, max: failuresPerSubjectPerDay, told: tooManyWrong, back }]
    },
  }
}
