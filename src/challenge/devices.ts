import { hash, randomBytes } from 'node:crypto'
import type { Emit } from '../events.js'
import type { Store } from '../store/store.js'
import { change, newCommandId } from './change.js'
import type { Keys } from './keys.js'

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

export interface Devices {
  trust(subject: string): Promise<DeviceToken & { readonly id: string }>
  /** Whether this browser is a trusted one. Then its token is replaced: a copied one works once at most. */
  use(subject: string, token: string): Promise<DeviceToken | undefined>
  has(subject: string, token: string): Promise<boolean>
  list(subject: string): Promise<readonly TrustedDevice[]>
  revoke(subject: string, id: string): Promise<void>
  revokeSubject(subject: string): Promise<void>
}

/** At rest there is a hash alone: who reads the store can trust no browser. */
type StoredDevice = Readonly<
  Record<'id' | 'hash', string> & Record<'trustedAt' | 'usedAt' | 'endsAt', number>
>
type Stored = { readonly devices: readonly StoredDevice[] }

const mostDevices = 20

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

  function put(devices: readonly StoredDevice[]) {
    const ttlMs = Math.max(1, ...devices.map((device) => device.endsAt - now()))
    return { value: { devices: devices.slice(-mostDevices) }, ttlMs }
  }

  async function read(subject: string): Promise<readonly StoredDevice[]> {
    const entry = await store.read(keys.devices(subject))
    return live(entry?.value as Stored | undefined)
  }

  /** Keeps what `stays` says and tells of it only when something went. */
  async function remove(subject: string, stays: (device: StoredDevice) => boolean): Promise<void> {
    const removed = await change(store, keys.devices(subject), (stored: Stored | undefined) => {
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
      await change(store, keys.devices(subject), (stored: Stored | undefined) => ({
        outcome: undefined,
        put: put([...live(stored), device]),
      }))
      emit({ type: 'device.trusted', subject })
      return { id, token, endsAt }
    },

    async use(subject, token) {
      const next = newToken()
      const shown = hashOf(token)
      const endsAt = await change(store, keys.devices(subject), (stored: Stored | undefined) => {
        const devices = live(stored)
        const device = devices.find((known) => known.hash === shown)
        if (device === undefined) return { outcome: undefined }
        const others = devices.filter((other) => other !== device)
        const used = { ...device, hash: hashOf(next), usedAt: now() }
        return { outcome: device.endsAt, put: put([...others, used]) }
      })
      if (endsAt === undefined) return undefined
      emit({ type: 'device.used', subject })
      return { token: next, endsAt }
    },

    async has(subject, token) {
      const shown = hashOf(token)
      return (await read(subject)).some((device) => device.hash === shown)
    },

    list: async (subject) => (await read(subject)).map(({ hash: _secret, ...device }) => device),
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
