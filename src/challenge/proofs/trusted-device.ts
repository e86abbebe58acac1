import type { Update } from '../updater.js'

/** A stored browser that can replace the code at sign-in. Times are milliseconds since 1970. */
export type StoredDevice = {
  /** Id for `tf.trustedDevices.revoke`. */
  readonly id: string
  /** Name that the user recognises, such as `Firefox, Linux`. Absent if the request contained none. */
  readonly label?: string | undefined
  /** When the user chose to trust it. */
  readonly trustedAt: number
  /** When it last replaced a code. */
  readonly usedAt: number
  /** Fixed, however often the device is used. */
  readonly endsAt: number
}

/** The devices of one account, least recently used first. They are ids only: a leaked store signs no cookie. */
export type StoredDevices = { readonly devices: readonly StoredDevice[] }

type DeviceChange<Outcome> = Update<StoredDevices, Outcome>

const maxDevices = 20

export function live(stored: StoredDevices | undefined, now: number): readonly StoredDevice[] {
  return stored?.devices.filter(({ endsAt }) => now < endsAt) ?? []
}

/** Adds a trusted device and removes the one that this browser was before. */
export function add(
  stored: StoredDevices | undefined,
  added: StoredDevice,
  replaced: string | undefined,
  now: number,
): DeviceChange<undefined> {
  const others = live(stored, now).filter(({ id }) => id !== replaced)
  return putDevices([...others, added].slice(-maxDevices), now, undefined)
}

/** Records that a device replaces a code. Returns false if it is no longer trusted. */
export function use(stored: StoredDevices | undefined, id: string, now: number): DeviceChange<boolean> {
  const devices = live(stored, now)
  const used = devices.find((device) => device.id === id)
  // A copied cookie whose trust was revoked after the read must not sign in.
  if (used === undefined) return { outcome: false }
  const others = devices.filter((device) => device !== used)
  return putDevices([...others, { ...used, usedAt: now }], now, true)
}

/** Keeps the devices that stay. Returns whether any was removed. */
export function remove(
  stored: StoredDevices | undefined,
  stays: (device: StoredDevice) => boolean,
  now: number,
): DeviceChange<boolean> {
  const devices = live(stored, now)
  const others = devices.filter(stays)
  return others.length === devices.length ? { outcome: false } : putDevices(others, now, true)
}

/**
 * Removes the device with this id. It writes in any case, so that a late command of a slow store meets a new version
 * and fails.
 */
export function undoUse(stored: StoredDevices | undefined, id: string, now: number): DeviceChange<undefined> {
  const others = live(stored, now).filter((device) => device.id !== id)
  return putDevices(others, now, undefined)
}

function putDevices<Outcome>(
  devices: readonly StoredDevice[],
  now: number,
  outcome: Outcome,
): DeviceChange<Outcome> {
  const ttlMs = Math.max(1, ...devices.map(({ endsAt }) => endsAt - now))
  return { outcome, put: { value: { devices }, ttlMs } }
}
