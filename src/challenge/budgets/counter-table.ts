import { dayMs, hourMs, minuteMs } from '../../lib/time.js'
import { type CounterKind, hashId } from '../keys.js'
import type { BudgetName } from '../ledger/ledger.js'
import type { Lane, Limits } from '../limits.js'
import type { Back, Group, Told } from './counting.js'
import { networksOf, timesBehindProxy } from './networks.js'

/** What a command counts against: its person, place and number. */
export interface Counted {
  readonly lane: Lane
  readonly subject: string
  /** The request is anonymous: the subject stands for the session, and has no budget of its own. */
  readonly anonymous: boolean
  readonly session: string
  readonly address: string | undefined
  /** The address may be that of a proxy that `trust proxy` does not cover. */
  readonly proxied: boolean
  /** ISO 3166 code of the number. */
  readonly country: string
  /** Key of the number's ledger: a tag of the number. */
  readonly key: string
}

/** One counter: what it counts, of whom, for how long; how many there may be, what one more is told, and when one comes back. */
export type Row = readonly [
  kind: CounterKind,
  holders: (counted: Counted) => readonly Holder[],
  windowMs: number,
  max: number | (() => number),
  told: Told | undefined,
  back: readonly Back[],
  group?: Group,
]

/** Whose hits are counted together, and how many times the limit they have. */
interface Holder {
  readonly tag: string
  readonly times: number
}

/** More people share a /56 or /48 than one address, but one attacker may hold it. */
const timesUnproven = 1.5
const addressMs = 10 * minuteMs
/** How much one session adds to its address in that time: it must not use up what others there need. */
const share = { sends: 5, verifications: 20 } as const

const session = (of: Counted) => [{ tag: hashId(of.session), times: 1 }]
const subject = (of: Counted) => (of.anonymous ? [] : [{ tag: hashId(of.subject), times: 1 }])
const service = (span: string) => () => [{ tag: span, times: 1 }]
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
const paused = { code: 'sending_paused', limit: 'service' } as const
const pausedBy = {
  minute: { ...paused, service: 'serviceSendsPerMinute' },
  hour: { ...paused, service: 'serviceEnrolSendsPerHour' },
  day: { ...paused, service: 'serviceEnrolSendsPerDay' },
} as const satisfies Readonly<Record<string, Told>>
const tooManyWrong: Told = { code: 'attempts_exhausted', limit: 'subject' }

const never: readonly Back[] = []
const undelivered: readonly Back[] = ['not-sent', 'refused']
const unasked: readonly Back[] = ['not-sent', 'proven']
const wrongOnly: readonly Back[] = ['not-rejected']

/** Every counter of a lane that spans numbers, by what is counted in it. */
export function counterTable(lane: Lane, max: Limits) {
  const [maxSends, maxVerifications] =
    lane === 'auth'
      ? [max.sendsPerAddressPer10Min, max.verificationsPerAddressPer10Min]
      : [max.enrolSendsPerAddressPer10Min, max.enrolVerificationsPerAddressPer10Min]

  function addressRows(
    what: 'sends' | 'verifications',
    most: number | false,
    beyond?: Told,
    back = never,
  ): readonly Row[] {
    if (most === false) return []
    return [
      [`count-${lane}-share-${what}`, sessionThere, addressMs, share[what], beyond, back, 'share'],
      [`count-${lane}-address-${what}`, address, addressMs, most, ofAddress, back, 'address'],
    ]
  }

  const { enrolSendsPerAddressPerDay: perDay } = max
  // Counted without a limit, too: what one address wastes must not close a country (`signupGuard`).
  const maxUnproven = perDay === false ? Number.POSITIVE_INFINITY : perDay
  const unproven: readonly Row[] = [
    // SMS pumping. What the provider refused stays counted, so that nobody tries numbers for free. What is proven
    // comes back: people who share the address of a carrier take nothing from each other.
    ['count-enrol-address-unproven', unprovenAddress, dayMs, maxUnproven, ofAddress, unasked, 'unproven'],
  ]
  const signups: readonly Row[] = [
    // Different numbers of one session.
    ['count-enrol-tried', numberThere, dayMs, 1, undefined, never, 'tried'],
    ['count-enrol-numbers', session, dayMs, max.numbersPerSessionPerDay, ofSession, never, 'numbers'],
    // SMS pumping uses unproven numbers: the cost of a day is bounded.
    [
      'count-enrol-service-sends',
      service('hour'),
      hourMs,
      max.serviceEnrolSendsPerHour,
      pausedBy.hour,
      undelivered,
    ],
    [
      'count-enrol-service-sends',
      service('day'),
      dayMs,
      max.serviceEnrolSendsPerDay,
      pausedBy.day,
      undelivered,
    ],
    ...unproven,
  ]
  const sends: readonly Row[] = [
    [`count-${lane}-session-sends`, session, hourMs, max.sendsPerSessionPerHour, ofSession, undelivered],
    [`count-${lane}-subject-sends`, subject, dayMs, max.sendsPerSubjectPerDay, ofSubject, undelivered],
    // Of each lane by itself: sign-ups use up nothing of what sign-ins may send.
    [
      `count-${lane}-service-sends`,
      service('minute'),
      minuteMs,
      max.serviceSendsPerMinute,
      pausedBy.minute,
      never,
    ],
    ...addressRows('sends', maxSends),
    ...(lane === 'enrol' ? signups : []),
  ]
  return {
    sends,
    /** Questions to `beforeSend`. A share refuses here, where elsewhere it only spares the address: they are billed. */
    questions: addressRows('verifications', maxVerifications, ofSession, ['allowed']),
    verifications: addressRows('verifications', maxVerifications),
    /** Given back when the number is proven. */
    unproven: lane === 'enrol' ? unproven : [],
    /**
     * Wrong codes of one subject over all its numbers, so that a change of number gives no new guesses. Each lane has
     * its own, and so have known browsers: neither wrong codes of a phone verification nor those of somebody who
     * has only the password may keep anybody from signing in (denial of service by lockout).
     */
    tally(budget: BudgetName): readonly Row[] {
      const kind = `${budget === 'known' ? budget : lane}-tally` as const
      return [[kind, subject, dayMs, max.failuresPerSubjectPerDay, tooManyWrong, wrongOnly]]
    },
  }
}
