import { hash, randomBytes } from 'node:crypto'
import { newCommandId } from '../updater.js'

/** One stored browser. Only hashes: a leaked store reveals no token. */
export type StoredDevice = {
  readonly id: string
  /** Hash of the half of the token that stays the same for as long as the device is known. */
  readonly family: string
  readonly hash: string
  /** Hash of the token that `hash` replaced at `usedAt`. */
  readonly previous?: string | undefined
  readonly usedAt: number
  readonly expiresAt: number
  readonly trustedAt?: number | undefined
  readonly trustExpiresAt?: number | undefined
  /** Tag of the way of the last code that was right: of no use but to compare. */
  readonly way?: string | undefined
}
export type Stored = { readonly devices: readonly StoredDevice[] }

/** The hashes of the token that a request shows. */
type Shown = Pick<StoredDevice, 'hash' | 'family'>

const maxDevices = 20
/** How long the previous token is still accepted: parallel requests of a browser arrive within that. */
const togetherMs = 30_000
const halfBytes = 16

export function live(stored: Stored | undefined, time: number): readonly StoredDevice[] {
  return stored?.devices.filter(({ expiresAt }) => time < expiresAt) ?? []
}

export function isTrusted({ trustExpiresAt = 0 }: StoredDevice, time: number): boolean {
  return time < trustExpiresAt
}

export function isShownBy(device: StoredDevice, shown: Shown, time: number): boolean {
  return device.hash === shown.hash || (device.previous === shown.hash && time - device.usedAt < togetherMs)
}

/** However often it was replaced since: its first half identifies the device. */
export function isReplaced(device: StoredDevice, shown: Shown, time: number): boolean {
  return device.family === shown.family && !isShownBy(device, shown, time)
}

/** The device after a success in it. */
export function succeeded(
  before: StoredDevice | undefined,
  token: string,
  { trust, way = before?.way }: { readonly trust: boolean; readonly way?: string | undefined },
  ages: { readonly knownMaxAgeMs: number; readonly trustedMaxAgeMs: number },
  time: number,
): StoredDevice {
  const trustedAt = trust ? time : before?.trustedAt
  const trustExpiresAt = trust ? time + ages.trustedMaxAgeMs : before?.trustExpiresAt
  return {
    id: before?.id ?? newCommandId(),
    family: familyOf(token),
    hash: tokenHash(token),
    previous: before?.hash,
    usedAt: time,
    expiresAt: Math.max(time + ages.knownMaxAgeMs, trustExpiresAt ?? 0),
    trustedAt,
    trustExpiresAt,
    way,
  }
}

/** The twenty newest; one that is only known makes room before one that is trusted. */
export function put(devices: readonly StoredDevice[], time: number) {
  const excess = devices.length - maxDevices
  const oldest = devices.find((device) => !isTrusted(device, time)) ?? devices[0]
  const kept = excess > 0 ? devices.filter((device) => device !== oldest) : devices
  const ttlMs = Math.max(1, ...kept.map(({ expiresAt }) => expiresAt - time))
  return { value: { devices: kept }, ttlMs }
}

/** 256 random bits. One that replaces another shares its first half, by which that one is recognized later. */
export function newToken(replaced?: string): string {
  const bytes = randomBytes(2 * halfBytes)
  if (replaced !== undefined) Buffer.from(replaced, 'base64url').copy(bytes, 0, 0, halfBytes)
  return bytes.toString('base64url')
}

/** A plain hash suffices: 128 random bits cannot be guessed. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'base64url')
}

export function familyOf(token: string): string {
  return hash('sha256', Buffer.from(token, 'base64url').subarray(0, halfBytes), 'base64url')
}
