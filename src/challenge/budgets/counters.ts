import { dayMs, hourMs, minuteMs } from '../../lib/time.js'
import type { Store } from '../../store/store.js'
import type { Refusal } from '../commands.js'
import { hashId, type Keys, type TallyName } from '../keys.js'
import type { BudgetName } from '../ledger/ledger.js'
import type { Lane, Limits } from '../limits.js'
import { addressAllowance } from './address.js'
import { type Allowance, type CounterStore, counter, together } from './allowance.js'
import { sessionNumbers } from './session-numbers.js'
import type { SignupGuard, Suspected } from './signup-guard.js'

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

/** What one request may cost, over all ledgers. */
export interface RequestBudget extends Allowance {
  /** Asked together with the ledger: refuses an address past its limit, and counts nothing. */
  check(): Promise<Refusal | undefined>
  /** Called just before the provider is asked, so that a refused request costs no budget. */
  take(): Promise<Refusal | undefined>
}

/** What one send may cost. */
export interface SendBudget extends RequestBudget {
  /** Whether the sign-ups of this country look like SMS pumping. Counts nothing. */
  suspected(): Promise<Suspected | undefined>
}

/** What one code may cost. */
export interface VerificationBudget extends Pick<RequestBudget, 'check'> {
  /** By whose budget on the number it counts: the same for taking and refunding. */
  in(name: BudgetName): Allowance
}

export interface Counters {
  /** Refunded when the provider refuses the send: hours and days come back, the limits per minute do not. */
  forSend(counted: Counted): SendBudget
  /** Counts the attempt as a wrong one before it is judged; refunded unless the code was rejected. */
  forVerification(counted: Counted): VerificationBudget
}

export function createCounters(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly limits: Limits
  readonly signups: Pick<SignupGuard, 'forSend'>
  readonly now: () => number
}): Counters {
  const { store, keys, limits, signups } = parts

  const fromAddress = (what: 'sends' | 'verifications', counted: Counted, max: number | false) => {
    const { lane, session, address, proxied } = counted
    return address === undefined || max === false
      ? undefined
      : addressAllowance(parts, { what, lane, session, address, proxied, max })
  }

  /** Hours and days of the person: cost control and a brake on SMS pumping. */
  function ownSends({ lane, session, subject, anonymous }: Counted): Allowance[] {
    const own = counter(store, {
      key: keys.counter(`count-${lane}-session-sends`, hashId(session)),
      max: limits.sendsPerSessionPerHour,
      windowMs: hourMs,
      code: 'send_limit',
      limit: 'session',
    })
    const subjects = counter(store, {
      key: keys.counter(`count-${lane}-subject-sends`, hashId(subject)),
      max: limits.sendsPerSubjectPerDay,
      windowMs: dayMs,
      code: 'send_limit',
      limit: 'subject',
    })
    return anonymous ? [own] : [own, subjects]
  }

  const numbersOf = ({ session, key }: Counted) =>
    sessionNumbers(parts, { session, ledgerKey: key, max: limits.numbersPerSessionPerDay })

  const service = (lane: Lane, span: string, windowMs: number, max: number): Allowance =>
    counter(store, {
      key: keys.counter(`count-${lane}-service-sends`, span),
      max,
      windowMs,
      code: 'sending_paused',
      limit: 'service',
    })

  return {
    forSend(counted) {
      const { lane } = counted
      const isEnrol = lane === 'enrol'
      const address = fromAddress(
        'sends',
        counted,
        isEnrol ? limits.enrolSendsPerAddressPer10Min : limits.sendsPerAddressPer10Min,
      )
      // SMS pumping uses unproven numbers: the cost of a day is bounded.
      const serviceEnrol = isEnrol
        ? [
            service(lane, 'hour', hourMs, limits.serviceEnrolSendsPerHour),
            service(lane, 'day', dayMs, limits.serviceEnrolSendsPerDay),
          ]
        : []
      const numbers = isEnrol ? numbersOf(counted) : undefined
      const country = isEnrol ? signups.forSend(counted.country) : undefined
      const refundable = together([...ownSends(counted), ...serviceEnrol, ...(country ? [country] : [])])
      const all = together([
        ...(numbers ? [numbers] : []),
        refundable,
        service(lane, 'minute', minuteMs, limits.serviceSendsPerMinute),
        ...(address === undefined ? [] : [address]),
      ])
      return {
        async check() {
          const [refusal] = await Promise.all([address?.check(), numbers?.prefetch()])
          return refusal
        },
        suspected: async () => country?.check(),
        take: all.take,
        refund: refundable.refund,
      }
    },

    forVerification(counted) {
      const { lane, subject, anonymous } = counted
      const address = fromAddress(
        'verifications',
        counted,
        lane === 'enrol'
          ? limits.enrolVerificationsPerAddressPer10Min
          : limits.verificationsPerAddressPer10Min,
      )
      return {
        check: async () => address?.check(),
        in(name) {
          const whose = name === 'known' ? name : lane
          const tally = together(anonymous ? [] : [subjectTally(parts, whose, subject)])
          const all = together(address === undefined ? [tally] : [tally, address])
          return { take: all.take, refund: tally.refund }
        },
      }
    },
  }
}

interface TallyParts {
  readonly store: CounterStore
  readonly keys: Keys
  readonly limits: Pick<Limits, 'failuresPerSubjectPerDay'>
}

/**
 * Wrong codes of one subject over all its numbers, so that a change of number gives no new guesses. Each lane has
 * its own, and so have known browsers: neither wrong codes of a phone verification nor those of somebody who
 * has only the password may keep anybody from signing in (denial of service by lockout).
 */
export function subjectTally({ store, keys, limits }: TallyParts, name: TallyName, subject: string) {
  const key = keys.tally(name, subject)
  const limited = counter(store, {
    key,
    max: limits.failuresPerSubjectPerDay,
    windowMs: dayMs,
    code: 'attempts_exhausted',
    limit: 'subject',
  })
  return {
    ...limited,
    /** Takes back every hit; a count never falls below 0. */
    clear: async () => store.increment(key, dayMs, -Number.MAX_SAFE_INTEGER),
  }
}
