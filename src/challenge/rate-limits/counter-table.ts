import type { LimitName, ServiceLimit } from '../../events.js'
import { dayMs, hourMs, minuteMs } from '../../lib/time.js'
import type { Refusal, Requester } from '../commands.js'
import { type CounterKind, hashId } from '../keys.js'
import type { Lane, Limits } from '../limits.js'
import { networksOf } from './networks.js'

/** What a send counts against: its account, network and number. */
export interface RateLimitKeys extends Requester {
  readonly lane: Lane
  readonly address: string | undefined
  /** The address may be that of a proxy that `trust proxy` does not cover. */
  readonly proxied: boolean
  /** ISO 3166 code of the number; empty for an authenticator app. */
  readonly country: string
  /** Key of its ledger: that of the account, at a sign-up of the number. */
  readonly key: string
}

/** What one hit too many is told. */
interface LimitProblem {
  readonly code: 'send_limit' | 'sending_paused'
  /** What is counted, for the operator. */
  readonly limit: LimitName
  /** Which limit of the whole service it is, when it is one. */
  readonly service?: ServiceLimit
}

/**
 * When a hit comes back: the provider was not asked to send, or refused to; the number was proven.
 */
export type RefundRule = 'not-sent' | 'refused' | 'proven'

/** One counter that spans numbers. */
export interface CounterRow {
  /** What it counts. */
  readonly kind: CounterKind
  /** Of whom, as a tag; undefined where there is nobody to count it for. */
  readonly of: (counted: RateLimitKeys) => string | undefined
  /** It begins with the first hit. */
  readonly windowMs: number
  readonly max: number
  /** What one hit too many is told; absent where it is not refused. */
  readonly told?: LimitProblem | undefined
  /** When a hit comes back; absent: never. */
  readonly back?: readonly RefundRule[] | undefined
  /** Read before anything is decided. */
  readonly isReadFirst?: true
  /** Counts only where the number is new to its session. */
  readonly isOfNewNumber?: true
}

/** One counter in the hands of one request. */
export interface CounterHit {
  readonly row: CounterRow
  readonly key: string
  readonly max: number
  /** It was counted, and not taken back. */
  isTaken: boolean
  /** What it is told when it was one too many. */
  refusal: Refusal | undefined
  /** As it was read or counted last; 0 before. */
  count: number
}

const session = (of: RateLimitKeys) => hashId(of.session)
const network =
  (of: 'customer' | 'site') =>
  ({ address }: RateLimitKeys) =>
    address === undefined ? undefined : hashId(networksOf(address)[of])
/** One number in one session. */
const numberThere = ({ session: id, key }: RateLimitKeys) => hashId(`${id} ${key}`)

const ofSession: LimitProblem = { code: 'send_limit', limit: 'session' }
const ofAddress: LimitProblem = { code: 'send_limit', limit: 'address' }

const undelivered: readonly RefundRule[] = ['not-sent', 'refused']

/** Every counter of a lane that spans numbers, by what is counted in it. */
export function counterTable(lane: Lane, max: Limits) {
  const perAddress = lane === 'auth' ? max.sendsPerAddressPer10Min : max.enrolSendsPerAddressPer10Min
  const byAddress = {
    kind: `count-${lane}-address-sends`,
    of: network('customer'),
    windowMs: 10 * minuteMs,
  } as const
  const addresses: readonly CounterRow[] =
    perAddress === false ? [] : [{ ...byAddress, max: perAddress, told: ofAddress, isReadFirst: true }]

  const { enrolSendsPerAddressPerDay: perDay } = max
  const unproven: CounterRow = {
    kind: 'count-enrol-address-unproven',
    // Whoever has a /48 would have 256 such days, which are paid.
    of: network('site'),
    windowMs: dayMs,
    // Counted without a limit, too: of a suspected country `signupGuard` refuses networks that have wasted a code.
    max: perDay === false ? Number.POSITIVE_INFINITY : perDay,
    told: ofAddress,
    // SMS pumping. What the provider refused stays counted, so that nobody tries numbers for free. What is proven
    // comes back: people who share the address of a carrier take nothing from each other.
    back: ['not-sent', 'proven'],
    isReadFirst: true,
  }
  const numbers = { windowMs: dayMs, max: max.numbersPerSessionPerDay, told: ofSession }
  /** Of everybody, whoever sends. */
  const ofService = (span: string, windowMs: number, service: ServiceLimit): CounterRow => ({
    kind: `count-${lane}-service-sends`,
    of: () => span,
    windowMs,
    max: max[service],
    told: { code: 'sending_paused', limit: 'service', service },
  })
  const signups: readonly CounterRow[] = [
    {
      kind: 'count-enrol-tried',
      of: numberThere,
      windowMs: dayMs,
      max: 1,
      isReadFirst: true,
      isOfNewNumber: true,
    },
    { kind: 'count-enrol-numbers', of: session, ...numbers, isOfNewNumber: true },
    // SMS pumping uses unproven numbers: the cost of a day is bounded.
    { ...ofService('hour', hourMs, 'serviceEnrolSendsPerHour'), back: undelivered },
    { ...ofService('day', dayMs, 'serviceEnrolSendsPerDay'), back: undelivered },
    unproven,
  ]
  const sends: readonly CounterRow[] = [
    // Of each lane by itself: sign-ups use up nothing of what sign-ins may send.
    ofService('minute', minuteMs, 'serviceSendsPerMinute'),
    ...addresses,
    ...(lane === 'enrol' ? signups : []),
  ]
  return {
    sends,
    /** Those among them that a question to `beforeSend` takes its hit of: an assessment is billed. */
    questions: addresses,
  }
}
