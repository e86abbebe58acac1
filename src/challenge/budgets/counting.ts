import type { LimitName, ServiceLimit } from '../../events.js'
import { type Awaitable, all, allSettled, andThen } from '../../lib/awaitable.js'
import type { CounterResult, Store } from '../../store/store.js'
import { type Refusal, refused } from '../commands.js'

/** Something that a request uses up. */
export interface Allowance {
  /** Counts one hit, and refuses one beyond the limit, however many hits are parallel. */
  take(): Awaitable<Refusal | undefined>
  /** Takes the hit back that `take` counted, a refused one too. */
  refund(): Awaitable<unknown>
}

/** What one hit too many is told. */
export interface Told {
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
export type Group = 'share' | 'address' | 'tried' | 'numbers' | 'unproven'

/** A session that has had its share adds nothing to its address, a number that it has tried nothing to its numbers. */
const sparing = [
  ['share', 'address'],
  ['tried', 'numbers'],
] as const

/**
 * Counts a hit in the last 24 hours, or with -1 takes back the one that it counted. `resetInMs`: until there is room for
 * one, or until the limit no longer nears.
 */
export type SlidingCount = (by: number) => Awaitable<CounterResult>

/** One counter in the hands of one request. */
export interface Hit {
  readonly key: string
  readonly max: number
  /** Absent where one too many is not refused, and spares another group. */
  readonly told: Told | undefined
  readonly back: readonly Back[]
  readonly group: Group | undefined
  windowMs: number
  /** Counts it where its window slides. */
  readonly sliding: SlidingCount | undefined
  /** With what is left of the window, as it was read or counted last; 0 before. */
  count: number
  resetInMs: number
}

/** What one request may cost, counted all or none. Issued together: over a network store that is one round trip. */
export function createBudget(store: Pick<Store, 'increment'>, hits: readonly Hit[]) {
  const inGroup = (group: Group) => hits.filter((hit) => hit.group === group)
  const pairs = sparing.flatMap(([first, second]) => {
    const [by] = inGroup(first)
    const spared = inGroup(second)
    const [nearest] = spared
    if (by?.told !== undefined || by === undefined || nearest === undefined) return []
    return [{ by, nearest, both: [by, ...spared] }]
  })

  function add(hit: Hit, by: number): Awaitable<Refusal | undefined> {
    const counted = hit.sliding?.(by) ?? store.increment(hit.key, hit.windowMs, by)
    return andThen(counted, ({ count, resetInMs }) => {
      hit.count = count
      hit.resetInMs = resetInMs
      const { told, max } = hit
      // Read, it says whether there is room for one more; counted, whether this one had any.
      const isWithin = by === 0 ? count < max : count <= max
      if (told === undefined || isWithin) return undefined
      const wait = Math.max(1, Math.ceil(resetInMs))
      return { ...refused(told.code, wait), limit: told.limit }
    })
  }

  const undo = (counted: readonly Hit[], times = 1) => all(counted.map((hit) => add(hit, -times)))

  const allowanceOf = (hit: Hit): Allowance => ({ take: () => add(hit, 1), refund: () => add(hit, -1) })

  return {
    /** Asked together with the ledger: refuses an address past its limit, and counts nothing. */
    check(): Awaitable<Refusal | undefined> {
      const ahead = hits.filter(({ group }) => group !== undefined).map((hit) => add(hit, 0))
      return andThen(all(ahead), (refusals) => {
        // It ends with the window of what it spares, else a session could add two shares to one window.
        for (const { by, nearest } of pairs) by.windowMs = Math.max(1, nearest.resetInMs)
        return refusals.find((refusal) => refusal?.limit === 'address')
      })
    },

    /** Called just before the provider is asked, so that a refused request costs no budget. `also`: what else it costs. */
    async take(also: readonly Allowance[] = []): Promise<Refusal | undefined> {
      const spared = pairs.flatMap(({ by, both }) => (by.count >= by.max ? both : []))
      const counted = hits.filter((hit) => !spared.includes(hit))
      const refusal = await takeAll([...counted.map((hit) => allowanceOf(hit)), ...also])
      if (refusal !== undefined) return refusal
      // Of parallel requests, all of which had a share left when they asked, the surplus spares the address.
      const surplus = pairs.flatMap(({ by, both }) => (by.count > by.max ? both : []))
      await undo(surplus.filter((hit) => counted.includes(hit)))
      return undefined
    },

    /** Takes back what comes back then, so many times. */
    giveBack: (when: Back, times?: number) =>
      undo(
        hits.filter(({ back }) => back.includes(when)),
        times,
      ),
  }
}

/** All or none. A store that throws at once has rejected by now: its deadline sees to that. */
async function takeAll(allowances: readonly Allowance[]): Promise<Refusal | undefined> {
  const results = await allSettled(allowances.map((allowance) => allowance.take()))
  const failed = results.find((result) => result.status === 'rejected')
  const refusal = results
    .map((result) => (result.status === 'fulfilled' ? result.value : undefined))
    .find((value) => value !== undefined)
  if (failed === undefined && refusal === undefined) return undefined
  const counted = allowances.filter((_, index) => results[index]?.status === 'fulfilled')
  await all(counted.map((allowance) => allowance.refund()))
  if (failed !== undefined) throw failed.reason
  return refusal
}
