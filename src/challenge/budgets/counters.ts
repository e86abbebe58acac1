import { type Awaitable, all, allSettled, andThen } from '../../lib/promises.js'
import type { Store } from '../../store/store.js'
import type { SendResult } from '../code-provider.js'
import { type Refusal, refused } from '../commands.js'
import type { Basis } from '../keys.js'
import type { BudgetName } from '../ledger/ledger.js'
import { isCount, type Limits } from '../limits.js'
import { type Back, type Counted, counterTable, type Hit, type Row } from './counter-table.js'
import { createSlidingDay, type ServiceLimits } from './service-limits.js'
import type { SignupGuard } from './signup-guard.js'

export type Counters = ReturnType<typeof createCounters>

/** What one send may cost. */
export type SendBudget = ReturnType<Counters['forSend']>

/** What sends and codes use up besides what their number may. */
export function createCounters(
  parts: Basis & {
    readonly limits: Limits
    readonly signups: SignupGuard
    readonly service: ServiceLimits
  },
) {
  const { store, keys, limits, signups, service } = parts
  const dayOfSignups = createSlidingDay(parts, keys.counter('count-enrol-service-sends', 'day'))
  const rows = { auth: counterTable('auth', limits), enrol: counterTable('enrol', limits) }

  function hitsOf(counted: Counted, of: readonly Row[]): readonly Hit[] {
    const hits: Hit[] = []
    for (const row of of) {
      const { kind, windowMs, slides } = row
      for (const { tag, times } of row.of(counted)) {
        const key = keys.counter(kind, tag)
        const max = maxOf(row.max) * times
        const sliding = slides && dayOfSignups(max)
        hits.push({ row, key, max, windowMs, sliding, count: 0, resetInMs: 0 })
      }
    }
    return hits
  }

  return {
    forSend(counted: Counted) {
      const { lane } = counted
      const hits = hitsOf(counted, rows[lane].sends)
      const budget = createBudget(store, hits)
      const country = lane === 'enrol' ? signups.forSend(counted.country) : undefined
      const questions = () => createBudget(store, hitsOf(counted, rows[lane].questions))
      /**
       * Called when nothing was sent: hours and days come back, the limits per minute do not, and the day of an
       * address only where the provider was not asked.
       */
      const refund = (result: SendResult['result']) =>
        Promise.all([
          budget.giveBack(result === 'not-sent' ? result : 'refused'),
          country?.allowance.refund(),
        ])
      return {
        check: () => andThen(all([budget.check(), country?.read()]), ([refusal]) => refusal),
        /** Whether the sign-ups of this country look like SMS pumping, by what `check` has read. `isHeard`: the host is told. */
        suspected: (isHeard: boolean) => country?.suspected(unprovenIn(hits), isHeard),
        /** One question to `beforeSend`, counted until the code goes out: an assessment is billed. */
        question: { take: () => questions().take(), refund: () => questions().giveBack('sent') },
        async take() {
          const refusal = await budget.take(country?.allowance)
          service.note(lane, hits, refusal !== undefined)
          if (refusal !== undefined) return refusal
          const late = await country?.settle(unprovenIn(hits))
          if (late !== undefined) await refund('not-sent')
          return late
        },
        refund,
      }
    },

    /** What one code may cost. */
    forVerification(counted: Counted) {
      const { verifications, unproven, tally } = rows[counted.lane]
      const byAddress = hitsOf(counted, verifications)
      const address = createBudget(store, byAddress)
      const unprovenHits = hitsOf(counted, unproven)
      const wasted = createBudget(store, unprovenHits)
      return {
        check: () => andThen(all([address.check(), wasted.check()]), ([refusal]) => refusal),
        /** One wrong code of this budget on the number: counted before it is judged, and given back unless it was wrong. */
        wrongCode(name: BudgetName) {
          const budget = createBudget(store, [...hitsOf(counted, tally(name)), ...byAddress])
          return { take: () => budget.take(), refund: () => budget.giveBack('not-rejected') }
        },
        /** Called when the number is proven: gives back what its codes were counted for. */
        async proven(sends: number): Promise<void> {
          if (counted.lane === 'auth') return
          const approved = signups.approved(counted.country, unprovenIn(unprovenHits))
          await Promise.all([approved, wasted.giveBack('proven', sends)])
        },
      }
    },
  }
}

/** Asked before anything is booked: a send that the host's function cannot bound is none. */
function maxOf(max: number | (() => number)): number {
  if (typeof max === 'number') return max
  const now: unknown = max()
  if (isCount(now)) return now
  throw new TypeError('limits: a function of a limit of the service must return an integer, 0 or more')
}

/** As it was read or counted last, of the widest network: an attacker may hold a whole /48. Undefined without an address. */
function unprovenIn(hits: readonly Hit[]): number | undefined {
  const counts = hits.filter(({ row }) => row.group === 'unproven').map(({ count }) => count)
  return counts.length === 0 ? undefined : Math.max(...counts)
}

/** What a request uses up besides the hits of its budget. */
interface Allowance {
  /** Counts one hit, and refuses one beyond the limit, however many hits are parallel. */
  take(): Awaitable<Refusal | undefined>
  /** Takes the hit back that `take` counted, a refused one too. */
  refund(): Awaitable<unknown>
}

/** What one request may cost, counted all or none. Issued together: over a network store that is one round trip. */
function createBudget(store: Store, hits: readonly Hit[]) {
  const sparing = hits.filter(({ row }) => row.spares !== undefined)
  const pairs = sparing.map((by) => {
    // Whoever counts in the one counts in the others.
    const spared = hits.filter(({ row }) => row.group === by.row.spares) as [Hit, ...Hit[]]
    return { by, nearest: spared[0], both: [by, ...spared] }
  })

  function add(hit: Hit, by: number): Awaitable<Refusal | undefined> {
    const counted = hit.sliding?.(by) ?? store.increment(hit.key, hit.windowMs, by)
    return andThen(counted, ({ count, resetInMs }) => {
      hit.count = count
      hit.resetInMs = resetInMs
      const { told } = hit.row
      // Read, it says whether there is room for one more; counted, whether this one had any.
      const isWithin = by === 0 ? count < hit.max : count <= hit.max
      if (told === undefined || isWithin) return undefined
      const wait = Math.max(1, Math.ceil(resetInMs))
      return { ...refused(told.code, wait), limit: told.limit }
    })
  }

  const addAll = (some: readonly Hit[], by: number) => all(some.map((hit) => add(hit, by)))

  return {
    /** Asked together with the ledger: refuses an address past its limit, and counts nothing. */
    check(): Awaitable<Refusal | undefined> {
      const ahead = hits.filter(({ row }) => row.group ?? row.spares)
      return andThen(addAll(ahead, 0), (refusals) => {
        // It ends with the window of what it spares, else a session could add two shares to one window.
        for (const { by, nearest } of pairs) by.windowMs = Math.max(1, nearest.resetInMs)
        return refusals.find((refusal) => refusal?.limit === 'address')
      })
    },

    /** Called just before the provider is asked, so that a refused request costs no budget. `also`: what else it costs. */
    async take(also?: Allowance): Promise<Refusal | undefined> {
      const spared = pairs.flatMap(({ by, both }) => (by.count >= by.max ? both : []))
      const counted = hits.filter((hit) => !spared.includes(hit))
      const taking = [...counted.map((hit) => add(hit, 1)), also?.take()]
      // A store that throws at once has rejected by now: its deadline sees to that.
      const taken = await allSettled(taking)
      const failed = taken.find((one) => one.status === 'rejected')
      const refusal = taken.find(isRefusal)?.value
      if (failed !== undefined || refusal !== undefined) {
        const undo = [...counted.map((hit) => () => add(hit, -1)), () => also?.refund()]
        const done = undo.filter((_, index) => taken[index]?.status === 'fulfilled')
        await all(done.map((takeBack) => takeBack()))
        if (failed !== undefined) throw failed.reason
        return refusal
      }
      // Of parallel requests, all of which had a share left when they asked, the surplus spares the address.
      const isSurplus = (hit: Hit) => pairs.some(({ by, both }) => by.count > by.max && both.includes(hit))
      await addAll(counted.filter(isSurplus), -1)
      return undefined
    },

    /** Takes back what comes back then, so many times. */
    giveBack(when: Back, times = 1) {
      const back = hits.filter(({ row }) => row.back?.includes(when))
      return addAll(back, -times)
    },
  }
}

const isRefusal = (
  taken: PromiseSettledResult<Refusal | undefined>,
): taken is PromiseFulfilledResult<Refusal> => taken.status === 'fulfilled' && taken.value !== undefined
