import { hash, randomBytes } from 'node:crypto'
import type { Emit } from '../../events.js'
import type { Store } from '../../store/store.js'
import type { Keys } from '../keys.js'
import { newCommandId, type Update, update } from '../updater.js'

/** A browser that may stand in for the code at sign-in. Times in milliseconds since 1970. */
export interface TrustedDevice {
  readonly id: string
  readonly trustedAt: number
  readonly usedAt: number
  /** Never moves, however often the device is used. */
  readonly endsAt: number
}

/** What the browser keeps: 256 random bits, until `endsAt`. */
export interface DeviceToken {
  readonly token: string
  readonly endsAt: number
}

type Used = { readonly next?: DeviceToken }

export interface Devices {
  trust(subject: string): Promise<DeviceToken & { readonly id: string }>
  /**
   * Whether this browser is a trusted one. Then its token is replaced, so that a copied one is soon worth
   * nothing. Requests that were sent together show the same token: one is given `next`, all are let pass.
   */
  use(subject: string, token: string): Promise<Used | undefined>
  has(subject: string, token: string): Promise<boolean>
  list(subject: string): Promise<readonly TrustedDevice[]>
  revoke(subject: string, id: string): Promise<void>
  revokeSubject(subject: string): Promise<void>
}

/** At rest there is a hash alone: who reads the store can trust no browser. */
type StoredDevice = Readonly<
  Record<'id' | 'hash', string> & Record<'trustedAt' | 'usedAt' | 'endsAt', number>
> & {
  /** Hash of the token that `hash` replaced at `usedAt`. */
  readonly previous?: string
}
type Stored = { readonly devices: readonly StoredDevice[] }

const maxDevices = 20
/** How long the token before still counts: what a browser sends together arrives within that. */
const togetherMs = 30_000

export function createDevices(parts: {
  readonly store: Store
  readonly keys: Keys
  readonly maxAgeMs: number
  readonly now: () => number
  readonly emit: Emit
}): Devices {
  const { store, keys, maxAgeMs, now, emit } = parts

  const live = (stored: Stored | undefined) =>
    (stored?.devices ?? []).filter((device) => now() < device.endsAt)

  const knownBy = (shown: string) => (device: StoredDevice) =>
    device.hash === shown || (device.previous === shown && now() - device.usedAt < togetherMs)

  function put(devices: readonly StoredDevice[]) {
    const ttlMs = Math.max(1, ...devices.map((device) => device.endsAt - now()))
    return { value: { devices: devices.slice(-maxDevices) }, ttlMs }
  }

  async function read(subject: string): Promise<readonly StoredDevice[]> {
    const entry = await store.read(keys.devices(subject))
    return live(entry?.value as Stored | undefined)
  }

  /** Keeps what `stays` says and tells of it only when something went. */
  async function remove(subject: string, stays: (device: StoredDevice) => boolean): Promise<void> {
    const removed = await update(store, keys.devices(subject), (stored: Stored | undefined) => {
      const before = live(stored)
      const kept = before.filter(stays)
      return kept.length === before.length ? { outcome: false } : { outcome: true, put: put(kept) }
    })
    if (removed) emit({ type: 'device.revoked', subject })
  }

  return {
    async trust(subject) {
      const token = newToken()
      const endsAt = now() + maxAgeMs
      const id = newCommandId()
      const device = { id, hash: hashOf(token), trustedAt: now(), usedAt: now(), endsAt }
      await update(store, keys.devices(subject), (stored: Stored | undefined) => ({
        outcome: undefined,
        put: put([...live(stored), device]),
      }))
      emit({ type: 'device.trusted', subject })
      return { id, token, endsAt }
    },

    async use(subject, token) {
      const next = newToken()
      const shown = hashOf(token)
      const decide = (stored: Stored | undefined): Update<Stored, Used | undefined> => {
        const devices = live(stored)
        const device = devices.find(knownBy(shown))
        if (device === undefined) return { outcome: undefined }
        if (device.hash !== shown) return { outcome: {} }
        const others = devices.filter((other) => other !== device)
        const replaced = { ...device, hash: hashOf(next), previous: shown, usedAt: now() }
        return {
          outcome: { next: { token: next, endsAt: device.endsAt } },
          put: put([...others, replaced]),
        }
      }
      const used = await update(store, keys.devices(subject), decide)
      if (used !== undefined) emit({ type: 'device.used', subject })
      return used
    },

    has: async (subject, token) => (await read(subject)).some(knownBy(hashOf(token))),

    async list(subject) {
      return (await read(subject)).map(({ hash: _secret, previous: _earlier, ...device }) => device)
    },
    revoke: (subject, id) => remove(subject, (device) => device.id !== id),
    revokeSubject: (subject) => remove(subject, () => false),
  }
}

function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** A plain hash suffices: nobody guesses 256 random bits. */
function hashOf(token: string): string {
  return hash('sha256', token, 'base64url')
}
