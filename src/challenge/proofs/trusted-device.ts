import type { Update } from '../updater.js'

/** A browser that may stand in for the code at sign-in, as it is stored. Times in milliseconds since 1970. */
export type StoredDevice = {
  /** For `tf.trustedDevices.revoke`. */
  readonly id: string
  /** What the person may know it by, such as `Firefox, Linux`; absent where its request did not say. */
  readonly label?: string | undefined
  /** When the person asked for it. */
  readonly trustedAt: number
  /** When it last replaced a code. */
  readonly usedAt: number
  /** Never moves, however often the device is used. */
  readonly endsAt: number
}

/** Those of one subject, the one longest unused first. Only ids: a leaked store signs no cookie. */
export type StoredDevices = { readonly devices: readonly StoredDevice[] }

type DeviceChange<Outcome> = Update<StoredDevices, Outcome>

const maxDevices = 20

export function live(stored: StoredDevices | undefined, now: number): readonly StoredDevice[] {
  return stored?.devices.filter(({ endsAt }) => now < endsAt) ?? []
}

/** Trusts one more, in place of the one that this browser was before. */
export function add(
  stored: StoredDevices | undefined,
  added: StoredDevice,
  replaced: string | undefined,
  now: number,
): DeviceChange<undefined> {
  const others = live(stored, now).filter(({ id }) => id !== replaced)
  return putDevices([...others, added].slice(-maxDevices), now, undefined)
}

/** Notes that it replaces a code; false when it is trusted no more. */
export function use(stored: StoredDevices | undefined, id: string, now: number): DeviceChange<boolean> {
  const devices = live(stored, now)
  const used = devices.find((device) => device.id === id)
  // A copied cookie whose trust was revoked since it was read must not get in.
  if (used === undefined) return { outcome: false }
  const others = devices.filter((device) => device !== used)
  return putDevices([...others, { ...used, usedAt: now }], now, true)
}

/** Keeps those that stay; whether any does not. */
export function remove(
  stored: StoredDevices | undefined,
  stays: (device: StoredDevice) => boolean,
  now: number,
): DeviceChange<boolean> {
  const devices = live(stored, now)
  const others = devices.filter(stays)
  return others.length === devices.length ? { outcome: false } : putDevices(others, now, true)
}

/** Removes the one of this id, and writes in any case: what a slow store still has to run does not fit over a new version. */
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
