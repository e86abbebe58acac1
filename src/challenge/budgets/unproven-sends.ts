import { dayMs } from '../../lib/time.js'
import type { Refusal } from '../commands.js'
import { hashId, type Keys } from '../keys.js'
import { type FromAddress, networksOf, timesBehindProxy } from './address.js'
import { type Allowance, type CounterStore, counter, together } from './allowance.js'

/** More people share a /56 or /48 than one address, but one attacker may hold it. */
const timesWider = 1.5

/**
 * The codes that an address had sent in a day to numbers that nobody has proven since (SMS pumping). What
 * the provider refused stays counted. What is proven comes back: people who share the address of a carrier
 * take nothing from each other.
 */
export interface UnprovenSends extends Allowance {
  /** Refuses an address that has had its day. Counts nothing, and reads once for one request. */
  check(): Promise<Refusal | undefined>
  refund(times?: number): Promise<unknown>
  /** As it was read or counted last, of the widest network: an attacker may hold a whole /48. */
  readonly count: number
}

export function unprovenSends(
  { store, keys }: { readonly store: CounterStore; readonly keys: Keys },
  { address, proxied, max }: Pick<FromAddress, 'address' | 'proxied' | 'max'>,
): UnprovenSends {
  const counters = networksOf(address).map(({ name, times }) =>
    counter(store, {
      key: keys.counter('count-enrol-address-unproven', hashId(name)),
      max: max * Math.min(times, timesWider) * (proxied ? timesBehindProxy : 1),
      windowMs: dayMs,
      code: 'send_limit',
      limit: 'address',
    }),
  )
  let reading: Promise<Refusal | undefined> | undefined
  async function read(): Promise<Refusal | undefined> {
    const readings = await Promise.all(counters.map((one) => one.check()))
    return readings.find(({ refusal }) => refusal !== undefined)?.refusal
  }
  return {
    check: () => {
      reading ??= read()
      return reading
    },
    take: together(counters).take,
    refund: async (times) => Promise.all(counters.map((one) => one.refund(times))),
    get count() {
      return Math.max(0, ...counters.map(({ count }) => count))
    },
  }
}
