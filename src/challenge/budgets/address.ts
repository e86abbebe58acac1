import { isIP } from 'node:net'
import { memoize } from '../../lib/memoize.js'
import { minuteMs } from '../../lib/time.js'
import type { Refusal } from '../commands.js'
import { hashId, type Keys } from '../keys.js'
import type { Lane } from '../limits.js'
import { type Allowance, type Counter, type CounterStore, counter, together } from './allowance.js'

const windowMs = 10 * minuteMs

/** All clients behind a proxy that `trust proxy` does not cover share one address. */
export const timesBehindProxy = 10

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

interface Parts {
  readonly store: CounterStore
  readonly keys: Keys
}

export function addressAllowance(parts: Parts, from: FromAddress): AddressAllowance {
  const { store } = parts
  const { what } = from
  const [ownCounter, ...widerCounters] = countersOf(parts, from)
  const network = together([ownCounter, ...widerCounters])
  const shareKey = shareKeyOf(parts, from)
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

/**
 * A question to the host's `beforeSend`, refunded when it says yes. An assessment is billed, so that the share
 * of a session refuses it where elsewhere it only spares the address.
 */
export function questionAllowance(parts: Parts, from: FromAddress): Allowance {
  const share = counter(parts.store, {
    key: shareKeyOf(parts, from),
    max: maxPerSession[from.what],
    windowMs,
    code: 'send_limit',
    limit: 'session',
  })
  return together([share, ...countersOf(parts, from)])
}

function countersOf({ store, keys }: Parts, from: FromAddress): readonly [Counter, ...Counter[]] {
  const { what, lane, address, proxied, max } = from
  const counterOf = ({ name, times }: Network) =>
    counter(store, {
      key: keys.counter(`count-${lane}-address-${what}`, hashId(name)),
      max: max * times * (proxied ? timesBehindProxy : 1),
      windowMs,
      code: 'send_limit',
      limit: 'address',
    })
  const [nearest, ...wider] = networksOf(address)
  return [counterOf(nearest), ...wider.map(counterOf)]
}

const shareKeyOf = ({ keys }: Parts, { what, lane, session, address }: FromAddress): string =>
  keys.counter(`count-${lane}-share-${what}`, hashId(`${session} ${networksOf(address)[0].name}`))

/** A network that an address belongs to, and how many times the limit of one address it gets. */
export interface Network {
  readonly name: string
  readonly times: number
}

/**
 * The networks that count an address: an IPv4 address by itself; of an IPv6 address the /64, whose holder can
 * pick any of 2^64 addresses, and the /56 and /48 that providers give to one customer, who would otherwise
 * have 65,536 limits. IPv4 mapped into IPv6 is unwrapped.
 */
export const networksOf = memoize((address): readonly [Network, ...Network[]] => {
  const [bare = ''] = address.split('%')
  if (isIP(bare) !== 6) return [{ name: bare, times: 1 }]
  const groups = groupsOf(bare)
  const [a, b, c, d = '0'] = groups
  const isMapped = [a, b, c, d].every((group) => group === '0') && groups[4] === '0' && groups[5] === 'ffff'
  if (isMapped) return [{ name: dotted(groups[6], groups[7]), times: 1 }]
  const site = [a, b, c].join(':')
  const subnet = (Number.parseInt(d, 16) & 0xff00).toString(16)
  return [
    { name: `${site}:${d}::/64`, times: 1 },
    { name: `${site}:${subnet}::/56`, times: 4 },
    { name: `${site}::/48`, times: 16 },
  ]
})

/** The eight groups of an IPv6 address, in hexadecimal without leading zeros. */
function groupsOf(address: string): readonly string[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [left = [], right = []] = canonical.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right]
}

function dotted(high = '0', low = '0'): string {
  const bytes = [high, low].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
  return bytes.join('.')
}
