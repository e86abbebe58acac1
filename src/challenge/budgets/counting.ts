import type { LimitName } from '../../events.js'
import type { Store } from '../../store/store.js'
import { type Refusal, refused } from '../commands.js'

/** Something that a request uses up. */
export interface Allowance {
  /** Counts one hit, and refuses one beyond the limit, however many hits are parallel. */
  take(): Promise<Refusal | undefined>
  /** Takes the hit back that `take` counted, a refused one too. */
  refund(): Promise<unknown>
}

/** What one hit too many is told. */
export interface Told {
  readonly code: 'send_limit' | 'sending_paused' | 'attempts_exhausted'
  /** What is counted, for the operator. */
  readonly limit: LimitName
}

/** When a hit comes back. */
export type Back = 'not-sent' | 'refused' | 'proven' | 'not-rejected' | 'allowed'

/** One counter in the hands of one request. */
export interface Hit {
  readonly key: string
  readonly max: number
  /** Absent where one too many is not refused: it is beyond the share of a session, and spares its address. */
  readonly told: Told | undefined
  readonly back: readonly Back[]
  /** Of what is read before anything is decided. A session that has had its `share` adds nothing to its `address`. */
  readonly group: 'address' | 'share' | 'unproven' | undefined
  windowMs: number
  /** As it was read or counted last; 0 before, as what is left of the window. */
  count: number
  resetInMs: number
}

/** What one request may cost, counted all or none. Issued together: over a network store that is one round trip. */
export interface Budget {
  /** Asked together with the ledger: refuses an address past its limit, and counts nothing. */
  check(): Promise<Refusal | undefined>
  /** Called just before the provider is asked, so that a refused request costs no budget. */
  take(): Promise<Refusal | undefined>
  /** Takes back what comes back then, so many times. */
  giveBack(when: Back, times?: number): Promise<unknown>
}

export function createBudget(
  store: Pick<Store, 'increment'>,
  hits: readonly Hit[],
  others: readonly Allowance[] = [],
): Budget {
  const asked = hits.filter(({ group }) => group !== undefined)
  const spared = hits.filter(({ group }) => group === 'address' || group === 'share')
  const share = hits.find(({ group, told }) => group === 'share' && told === undefined)

  // Async: a store that throws must not leave the others unawaited.
  async function add(hit: Hit, by: number): Promise<Refusal | undefined> {
    const { count, resetInMs } = await store.increment(hit.key, hit.windowMs, by)
    Object.assign(hit, { count, resetInMs })
    const { told, max } = hit
    // Read, it says whether there is room for one more; counted, whether this one had any.
    const isWithin = by === 0 ? count < max : count <= max
    if (told === undefined || isWithin) return undefined
    const wait = Math.max(1, Math.ceil(resetInMs))
    return { ...refused(told.code, wait), limit: told.limit }
  }

  const undo = (counted: readonly Hit[], times = 1) => Promise.all(counted.map((hit) => add(hit, -times)))

  const allowanceOf = (hit: Hit): Allowance => ({
    take: () => add(hit, 1),
    refund: () => add(hit, -1),
  })

  return {
    async check() {
      const refusals = await Promise.all(asked.map((hit) => add(hit, 0)))
      const nearest = asked.find(({ group }) => group === 'address')
      // It ends with the window of the address, else a session could add two shares to one window.
      if (share !== undefined && nearest !== undefined) share.windowMs = Math.max(1, nearest.resetInMs)
      return refusals.find((refusal) => refusal !== undefined)
    },

    async take() {
      const isShareUsed = share !== undefined && share.count >= share.max
      const counted = isShareUsed ? hits.filter((hit) => !spared.includes(hit)) : hits
      const refusal = await takeAll([...counted.map(allowanceOf), ...others])
      // Of parallel requests, all of which had a share left when they asked, the surplus spares the address.
      if (refusal === undefined && !isShareUsed && share !== undefined && share.count > share.max) {
        await undo(spared)
      }
      return refusal
    },

    giveBack: (when, times) =>
      undo(
        hits.filter(({ back }) => back.includes(when)),
        times,
      ),
  }
}

/** All or none. */
async function takeAll(allowances: readonly Allowance[]): Promise<Refusal | undefined> {
  const results = await Promise.allSettled(allowances.map((allowance) => allowance.take()))
  const failed = results.find((result) => result.status === 'rejected')
  const refusal = results.find((result) => result.status === 'fulfilled' && result.value !== undefined)
  if (failed === undefined && refusal === undefined) return undefined
  const counted = allowances.filter((_, index) => results[index]?.status === 'fulfilled')
  await Promise.all(counted.map((allowance) => allowance.refund()))
  if (failed !== undefined) throw failed.reason
  return refusal?.status === 'fulfilled' ? refusal.value : undefined
}
