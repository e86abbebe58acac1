import type { LimitName, ServiceLimit } from '../../events.js'
import { dayMs, hourMs, minuteMs } from '../../lib/time.js'
import type { Refusal, Requester } from '../commands.js'
import { type CounterKind, hashId } from '../keys.js'
import type { Lane, Limits } from '../limits.js'
import { networksOf } from './networks.js'

/** Keys by which a send is counted: account, network and number. */
export interface RateLimitKeys extends Requester {
  readonly lane: Lane
  readonly address: string | undefined
  /** True if the address may be that of a proxy that `trust proxy` does not cover. */
  readonly proxied: boolean
  /** ISO 3166 code of the number. Empty for an authenticator app. */
  readonly country: string
  /** Key of the ledger of the account, or at a sign-up of the number. */
  readonly key: string
}

/** The problem returned beyond the limit. */
interface LimitProblem {
  readonly code: 'send_limit' | 'sending_paused'
  /** Name of the limit, for the operator. */
  readonly limit: LimitName
  /** Name of the service-wide limit, if it is one. */
  readonly service?: ServiceLimit
}

/**
 * When a hit is refunded: another limit refused the send, no request was sent to the provider, the provider refused, or
 * the number was verified.
 */
export type RefundRule = 'withdrawn' | 'not-sent' | 'refused' | 'proven'

/** One counter over several numbers. */
export interface CounterRow {
  /** Kind of the counter. */
  readonly kind: CounterKind
  /** Returns the tag of the holder, or undefined if the request has none. */
  readonly of: (counted: RateLimitKeys) => string | undefined
  /** The window starts with the first hit. */
  readonly windowMs: number
  readonly max: number
  /** The problem returned beyond the limit. Absent if the counter refuses nothing. */
  readonly problem?: LimitProblem | undefined
  /** When a hit is refunded. Absent: never. */
  readonly refundedWhen?: readonly RefundRule[] | undefined
  /** If true, it is read before the decision. */
  readonly isReadFirst?: true
  /** If true, it counts only numbers that are new to the session. */
  readonly isOfNewNumber?: true
}

/** One counter during one request. */
export interface CounterHit {
  readonly row: CounterRow
  readonly key: string
  readonly max: number
  /** True if the hit was counted and not refunded. */
  isTaken: boolean
  /** Refusal beyond the limit. */
  refusal: Refusal | undefined
  /** Last known count. 0 before the first read. */
  count: number
}

const session = (of: RateLimitKeys) => hashId(of.session)
const network =
  (of: 'customer' | 'site') =>
  ({ address }: RateLimitKeys) =>
    address === undefined ? undefined : hashId(networksOf(address)[of])
/** Returns the tag of one number in one session. */
const numberThere = ({ session: id, key }: RateLimitKeys) => hashId(`${id} ${key}`)

const ofSession: LimitProblem = { code: 'send_limit', limit: 'session' }
const ofAddress: LimitProblem = { code: 'send_limit', limit: 'address' }

const undelivered: readonly RefundRule[] = ['not-sent', 'refused']

/** Returns every counter of a lane that spans several numbers. */
export function counterTable(lane: Lane, max: Limits) {
  const perAddress = lane === 'auth' ? max.sendsPerAddressPer10Min : max.enrolSendsPerAddressPer10Min
  const byAddress = {
    kind: `count-${lane}-address-sends`,
    of: network('customer'),
    windowMs: 10 * minuteMs,
  } as const
  const addresses: readonly CounterRow[] =
    perAddress === false ? [] : [{ ...byAddress, max: perAddress, problem: ofAddress, isReadFirst: true }]

  const { enrolSendsPerAddressPerDay: perDay } = max
  const unproven: CounterRow = {
    kind: 'count-enrol-address-unproven',
    // By /48, because its holder would otherwise have 256 daily limits.
    of: network('site'),
    windowMs: dayMs,
    // Counted even without a limit: for a suspected country, `signupGuard` refuses networks with a code that was not
    // entered.
    max: perDay === false ? Number.POSITIVE_INFINITY : perDay,
    problem: ofAddress,
    // A send that the provider refused stays counted, so that an attacker cannot test numbers for free (SMS pumping). A
    // verified number is refunded, so that users behind one carrier's address do not use up each other's limit.
    refundedWhen: ['not-sent', 'proven'],
    isReadFirst: true,
  }
  const numbers = { windowMs: dayMs, max: max.numbersPerSessionPerDay, problem: ofSession }
  /** Returns a counter of the whole service. */
  const ofService = (span: string, windowMs: number, service: ServiceLimit): CounterRow => ({
    kind: `count-${lane}-service-sends`,
    of: () => span,
    windowMs,
    max: max[service],
    problem: { code: 'sending_paused', limit: 'service', service },
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
    // SMS pumping uses unverified numbers, so the cost of a day is limited.
    { ...ofService('hour', hourMs, 'serviceEnrolSendsPerHour'), refundedWhen: undelivered },
    { ...ofService('day', dayMs, 'serviceEnrolSendsPerDay'), refundedWhen: undelivered },
    unproven,
  ]
  const sends: readonly CounterRow[] = [
    // Each lane has its own, so that sign-ups do not use up the sends of sign-ins. Starts that a number refuses must not
    // stop all sign-ins (denial of service).
    { ...ofService('minute', minuteMs, 'serviceSendsPerMinute'), refundedWhen: ['withdrawn'] },
    ...addresses,
    ...(lane === 'enrol' ? signups : []),
  ]
  return {
    sends,
    /** Counters that a call of `beforeSend` uses, because an assessment costs money. */
    questions: addresses,
  }
}
