import { dayMs, hourMs, minuteMs } from '../../lib/time.js'
import type { Store } from '../../store/store.js'
import type { SendResult } from '../code-provider.js'
import type { Refusal } from '../commands.js'
import { hashId, type Keys, type TallyName } from '../keys.js'
import type { BudgetName } from '../ledger/ledger.js'
import type { Lane, Limits } from '../limits.js'
import { addressAllowance, type FromAddress, questionAllowance } from './address.js'
import { type Allowance, type CounterStore, counter, together } from './allowance.js'
import { sessionNumbers } from './session-numbers.js'
import type { SignupGuard, Suspected } from './signup-guard.js'
import { unprovenSends } from './unproven-sends.js'

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
export interface SendBudget extends Omit<RequestBudget, 'refund'> {
  /**
   * Called when nothing was sent: hours and days come back, the limits per minute do not, and the day of an
   * address only where the provider was not asked.
   */
  refund(result: SendResult['result']): Promise<unknown>
  /** One question to `beforeSend`, counted until it says yes; absent where addresses are not counted. */
  readonly question?: Allowance | undefined
  /** Whether the sign-ups of this country look like SMS pumping. Counts nothing. */
  suspected(): Promise<Suspected | undefined>
}

/** What one code may cost. */
export interface VerificationBudget extends Pick<RequestBudget, 'check'> {
  /** Called when the number is proven: gives back what its codes were counted for. */
  proven(sends: number): Promise<unknown>
  /** By whose budget on the number it counts: the same for taking and refunding. */
  in(name: BudgetName): Allowance
}

export interface Counters {
  forSend(counted: Counted): SendBudget
  /** Counts the attempt as a wrong one before it is judged; refunded unless the code was rejected. */
  forVerification(counted: Counted): VerificationBudget
}

export function createCounters(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly limits: Limits
  readonly signups: Pick<SignupGuard, 'forSend' | 'approved'>
  readonly now: () => number
}): Counters {
  const { store, keys, limits, signups } = parts

  const maxPer10Min = {
    auth: { sends: limits.sendsPerAddressPer10Min, verifications: limits.verificationsPerAddressPer10Min },
    enrol: {
      sends: limits.enrolSendsPerAddressPer10Min,
      verifications: limits.enrolVerificationsPerAddressPer10Min,
    },
  }
  function fromAddress<What>(
    allowance: (counters: typeof parts, from: FromAddress) => What,
    what: FromAddress['what'],
    { lane, session, address, proxied }: Counted,
  ): What | undefined {
    const max = maxPer10Min[lane][what]
    return address === undefined || max === false
      ? undefined
      : allowance(parts, { what, lane, session, address, proxied, max })
  }

  // Counted without a limit, too: what one address wastes must not close a country (`signupGuard`).
  const perDay = limits.enrolSendsPerAddressPerDay
  const maxUnproven = perDay === false ? Number.POSITIVE_INFINITY : perDay
  const unprovenOf = ({ lane, address, proxied }: Counted) =>
    lane === 'auth' || address === undefined
      ? undefined
      : unprovenSends(parts, { address, proxied, max: maxUnproven })

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
      const address = fromAddress(addressAllowance, 'sends', counted)
      // SMS pumping uses unproven numbers: the cost of a day is bounded.
      const serviceEnrol = isEnrol
        ? [
            service(lane, 'hour', hourMs, limits.serviceEnrolSendsPerHour),
            service(lane, 'day', dayMs, limits.serviceEnrolSendsPerDay),
          ]
        : []
      const numbers = isEnrol ? numbersOf(counted) : undefined
      const unproven = unprovenOf(counted)
      const country = isEnrol ? signups.forSend(counted.country, unproven) : undefined
      const refundable = together([...ownSends(counted), ...serviceEnrol, ...(country ? [country] : [])])
      const all = together([
        ...(numbers ? [numbers] : []),
        refundable,
        service(lane, 'minute', minuteMs, limits.serviceSendsPerMinute),
        ...(address === undefined ? [] : [address]),
        ...(unproven === undefined ? [] : [unproven]),
      ])
      return {
        async check() {
          const asked = Promise.all([address?.check(), unproven?.check(), numbers?.prefetch()])
          const [tooMany, tooManyUnproven] = await asked
          return tooMany ?? tooManyUnproven
        },
        question: fromAddress(questionAllowance, 'verifications', counted),
        suspected: async () => country?.check(),
        async take() {
          const refusal = await all.take()
          if (refusal === undefined) await country?.settle()
          return refusal
        },
        refund: (result) =>
          Promise.all([refundable.refund(), result === 'not-sent' ? unproven?.refund() : undefined]),
      }
    },

    forVerification(counted) {
      const { lane, subject, anonymous } = counted
      const address = fromAddress(addressAllowance, 'verifications', counted)
      const unproven = unprovenOf(counted)
      return {
        async check() {
          const [refusal] = await Promise.all([address?.check(), unproven?.check()])
          return refusal
        },
        async proven(sends) {
          if (lane === 'auth') return
          await Promise.all([signups.approved(counted.country, unproven?.count), unproven?.refund(sends)])
        },
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
