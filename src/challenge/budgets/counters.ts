import type { Awaitable, Store } from '../../store/store.js'
import { type Refusal, refused } from '../commands.js'
import { hashId, type Keys } from '../keys.js'
import type { Lane } from '../ledger/ledger.js'
import type { Limits } from '../limits.js'
import { update } from '../updater.js'
import { networkOf } from './networks.js'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** What a command counts against: its person, place and number. */
export interface Counted {
  readonly lane: Lane
  readonly subject: string
  readonly session: string
  readonly address?: string
  /** Key of the number's ledger: a tag of the number. */
  readonly ledgerKey: string
}

/** The counters that span ledgers. They createUpdater back cost; no guess budget rests on them. */
export interface Counters {
  /** Asked by every start and resend, refused ones included. */
  sendFromAddress(counted: Counted): Promise<Refusal | undefined>
  verificationFromAddress(counted: Counted): Promise<Refusal | undefined>
  /** Asked by a command that is about to send, so that a refused one costs nobody's budget. */
  send(counted: Counted): Promise<Refusal | undefined>
}

interface Count {
  readonly limit: string
  readonly code: 'send_limit' | 'sending_paused'
  readonly kind: string
  readonly whom: string
  readonly most: number
  readonly windowMs: number
}

/** How many of those who used up a budget of their own are told apart from the others. */
const maxEntries = 1_000

/** The numbers that one session has tried to enrol, by their ledgers. */
type Numbers = { readonly numbers: readonly string[]; readonly end: number }

export function createCounters(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly limits: Limits
  readonly now: () => number
}): Counters {
  const { store, keys, limits, now } = parts

  async function count({ limit, code, kind, whom, most, windowMs }: Count): Promise<Refusal | undefined> {
    const hits = await store.increment(keys.counter(kind, whom), windowMs)
    return hits.count > most
      ? { outcome: 'refused', code, limit, retryAfterMs: Math.max(1, Math.ceil(hits.resetInMs)) }
      : undefined
  }

  async function firstRefusal(
    counts: readonly Awaitable<Refusal | undefined>[],
  ): Promise<Refusal | undefined> {
    // Issued together: over a network store they cost one round trip.
    return (await Promise.all(counts)).find((refusal) => refusal !== undefined)
  }

  const fromAddress = async (kind: string, lane: Lane, address: string | undefined, most: number | false) =>
    address === undefined || most === false
      ? undefined
      : count({
          limit: 'address',
          code: 'send_limit',
          kind: `${lane}-${kind}`,
          whom: hashId(networkOf(address)),
          most,
          windowMs: 10 * minute,
        })

  /** Different numbers of one session. One that was refused is not among them, else its second try would pass. */
  const numbersOf = ({
    session,
    ledgerKey,
  }: Pick<Counted, 'session' | 'ledgerKey'>): Promise<Refusal | undefined> =>
    update(store, keys.counter('numbers', hashId(session)), (stored: Numbers | undefined) => {
      const { numbers, end } =
        stored !== undefined && now() < stored.end ? stored : { numbers: [], end: now() + day }
      if (numbers.includes(ledgerKey)) return { outcome: undefined }
      const leftMs = Math.min(day, end - now())
      if (numbers.length >= limits.numbersPerSessionPerDay) {
        return { outcome: { ...refused('send_limit', leftMs), limit: 'session' } }
      }
      return { outcome: undefined, put: { value: { numbers: [...numbers, ledgerKey], end }, ttlMs: leftMs } }
    })

  function own({ lane, session, subject, ledgerKey }: Counted): Promise<Refusal | undefined> {
    return firstRefusal([
      lane === 'enrol' ? numbersOf({ session, ledgerKey }) : undefined,
      count({
        limit: 'session',
        code: 'send_limit',
        kind: 'session-sends',
        whom: hashId(session),
        most: limits.sendsPerSessionPerHour,
        windowMs: hour,
      }),
      count({
        limit: 'subject',
        code: 'send_limit',
        kind: 'subject-sends',
        whom: hashId(subject),
        most: limits.sendsPerSubjectPerDay,
        windowMs: day,
      }),
    ])
  }

  const service = (lane: Lane): Promise<Refusal | undefined> =>
    count({
      limit: 'service',
      code: 'sending_paused',
      kind: 'service-sends',
      whom: lane,
      most: limits.serviceSendsPerMinute,
      windowMs: minute,
    })

  /** Sessions and subjects that used up a budget of their own. */
  const refusedLately = new Set<string>()

  function remember({ session, subject }: Counted): void {
    if (refusedLately.size >= maxEntries) refusedLately.clear()
    refusedLately.add(hashId(session)).add(hashId(subject))
  }

  return {
    sendFromAddress: ({ lane, address }) =>
      fromAddress(
        'sends',
        lane,
        address,
        lane === 'auth' ? limits.sendsPerAddressPer10Min : limits.enrolSendsPerAddressPer10Min,
      ),
    verificationFromAddress: ({ lane, address }) =>
      fromAddress(
        'verifications',
        lane,
        address,
        lane === 'auth'
          ? limits.verificationsPerAddressPer10Min
          : limits.enrolVerificationsPerAddressPer10Min,
      ),
    async send(counted) {
      const { lane, session, subject } = counted
      // One person's refused starts must not use up the sends of everybody: they are asked alone first.
      const suspect = refusedLately.has(hashId(session)) || refusedLately.has(hashId(subject))
      if (suspect) return (await own(counted)) ?? service(lane)
      const [refusal, paused] = await Promise.all([own(counted), service(lane)])
      if (refusal !== undefined) remember(counted)
      return refusal ?? paused
    },
  }
}
