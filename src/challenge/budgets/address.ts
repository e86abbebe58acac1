import type { Refusal } from '../commands.js'
import { hashId, type Keys } from '../keys.js'
import type { Lane } from '../ledger/ledger.js'
import { type Allowance, type CounterStore, counter, together } from './allowance.js'
import { type Network, networksOf } from './networks.js'

const windowMs = 10 * 60_000

/** All clients behind a proxy that `trust proxy` does not cover share one address. */
const timesBehindProxy = 10

/** How much one session adds to its address per window: it must not use up what others there need. */
const maxPerSession = { sends: 5, verifications: 20 } as const

/** The limit of an address, in the hands of one request. */
export interface AddressAllowance extends Allowance {
  /** Refuses when the limit has been reached. Counts nothing, so that it can be asked before the ledger is. */
  check(): Promise<Refusal | undefined>
}

export interface FromAddress {
  readonly what: 'sends' | 'verifications'
  readonly lane: Lane
  readonly session: string
  readonly address: string
  readonly proxied: boolean
  readonly max: number
}

export function addressAllowance(
  { store, keys }: { readonly store: CounterStore; readonly keys: Keys },
  { what, lane, session, address, proxied, max }: FromAddress,
): AddressAllowance {
  const [nearest, ...wider] = networksOf(address)
  const counterOf = ({ name, times }: Network) =>
    counter(store, {
      key: keys.counter(`count-${lane}-address-${what}`, hashId(name)),
      max: max * times * (proxied ? timesBehindProxy : 1),
      windowMs,
      code: 'send_limit',
      limit: 'address',
    })
  const ownCounter = counterOf(nearest)
  const widerCounters = wider.map(counterOf)
  const network = together([ownCounter, ...widerCounters])
  const shareKey = keys.counter(`count-${lane}-share-${what}`, hashId(`${session} ${nearest.name}`))
  let shareWindowMs = windowMs
  let isShareUsed = false
  let isCounted = false

  const share = async (by: number) => store.increment(shareKey, shareWindowMs, by)

  return {
    async check() {
      const [used, own, ...others] = await Promise.all([
        share(0),
        ownCounter.check(),
        ...widerCounters.map(({ check }) => check()),
      ])
      isShareUsed = used.count >= maxPerSession[what]
      // It ends with the window of the address, else a session could add two shares to one window.
      shareWindowMs = Math.max(1, own.resetInMs)
      return [own, ...others].find(({ refusal }) => refusal !== undefined)?.refusal
    },

    async take() {
      if (isShareUsed) return undefined
      const [refusal, { count }] = await Promise.all([network.take(), share(1)])
      isCounted = refusal === undefined && count <= maxPerSession[what]
      if (!isCounted) await Promise.all([share(-1), refusal === undefined && network.refund()])
      return refusal
    },

    async refund() {
      if (isCounted) await Promise.all([share(-1), network.refund()])
    },
  }
}
