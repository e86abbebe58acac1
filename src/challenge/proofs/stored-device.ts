import { hash, randomBytes } from 'node:crypto'
import { newCommandId, type Update, unchanged } from '../updater.js'

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
}
export type Stored = { readonly devices: readonly StoredDevice[] }

/** What is known of the browser in which somebody acts. */
export interface BrowserFacts {
  /** Whether this subject has succeeded in it before. Gives a budget of its own, never access. */
  readonly isKnown: boolean
  /** Whether it may stand in for the code. */
  readonly isTrusted: boolean
}

/** What the browser keeps: 256 random bits, until `expiresAt`. */
export interface DeviceToken {
  readonly token: string
  readonly expiresAt: number
}

/** How long a success makes a browser known, and how long a trusted one replaces the code; 0 where that is off. */
export interface Ages {
  readonly knownMaxAgeMs: number
  readonly trustedMaxAgeMs: number
}

/** The token that a request shows, and its hashes. */
export type ShownToken = Pick<StoredDevice, 'hash' | 'family'> & { readonly token: string }

export const shownBy = (token: string): ShownToken => ({
  token,
  hash: tokenHash(token),
  family: familyOf(token),
})

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

export function isShownBy(device: StoredDevice, shown: ShownToken | undefined, time: number): boolean {
  if (shown === undefined) return false
  return device.hash === shown.hash || (device.previous === shown.hash && time - device.usedAt < togetherMs)
}

/** However often it was replaced since: its first half identifies the device. */
export function isReplaced(device: StoredDevice, shown: ShownToken, time: number): boolean {
  return device.family === shown.family && !isShownBy(device, shown, time)
}

/** What a success changes: the device before and after it, and the token that is handed out. */
export interface Success {
  readonly before?: StoredDevice | undefined
  readonly after?: StoredDevice
  readonly kept?: DeviceToken
}

/** Records a success in the browser that shows this token; undefined where it leaves none, or may not stand in for a code. */
export function succeed(
  stored: Stored | undefined,
  shown: ShownToken | undefined,
  by: { readonly isCodeTyped: boolean; readonly trust: boolean },
  ages: Ages,
  time: number,
): Update<Stored, Success | undefined> {
  const devices = live(stored, time)
  const before = devices.find((device) => isShownBy(device, shown, time))
  // A copied cookie that was revoked since it was read would get in, and be handed a token that counts.
  if (!by.isCodeTyped && !(before && isTrusted(before, time))) return unchanged
  if (ages.knownMaxAgeMs === 0 && !by.trust && before === undefined) return unchanged
  // Requests that were sent together show the same token: one is given the next.
  if (before !== undefined && before.hash !== shown?.hash && !by.trust) return { outcome: { before } }
  const token = newToken(before && shown?.token)
  const trustExpiresAt = by.trust ? time + ages.trustedMaxAgeMs : before?.trustExpiresAt
  const after: StoredDevice = {
    id: before?.id ?? newCommandId(),
    family: familyOf(token),
    hash: tokenHash(token),
    previous: before?.hash,
    usedAt: time,
    expiresAt: Math.max(time + ages.knownMaxAgeMs, trustExpiresAt ?? 0),
    trustedAt: by.trust ? time : before?.trustedAt,
    trustExpiresAt,
  }
  const others = devices.filter((other) => other !== before)
  const kept = { token, expiresAt: after.expiresAt }
  return { outcome: { before, after, kept }, put: put([...others, after], time) }
}

/** Takes a success back. `isDelivered`: the browser holds the token that it was given. */
export function undo(
  stored: Stored | undefined,
  { before, after }: Success,
  isDelivered: boolean,
  time: number,
): Update<Stored, undefined> {
  const devices = live(stored, time)
  const others = devices.filter(({ hash }) => hash !== after?.hash)
  // With its old hash, the browser that shows the token it was given would pass for a thief's.
  const token = isDelivered && after && { hash: after.hash, previous: after.previous, usedAt: after.usedAt }
  // Revoked meanwhile: what it was before must not come back either.
  const isGone = others.length === devices.length
  const again = before === undefined || isGone ? [] : [{ ...before, ...token }]
  // Written even so: what a slow store still has to run does not fit over a new version.
  return { outcome: undefined, put: put([...others, ...again], time) }
}

/** Removes the devices that `stays` rejects; whether there were any. */
export function remove(
  stored: Stored | undefined,
  stays: (device: StoredDevice) => boolean,
  time: number,
): Update<Stored, boolean> {
  const before = live(stored, time)
  const kept = before.filter(stays)
  return kept.length === before.length ? { outcome: false } : { outcome: true, put: put(kept, time) }
}

/** The twenty newest; one that is only known makes room before one that is trusted. */
function put(devices: readonly StoredDevice[], time: number) {
  const excess = devices.length - maxDevices
  const oldest = devices.find((device) => !isTrusted(device, time)) ?? devices[0]
  const kept = excess > 0 ? devices.filter((device) => device !== oldest) : devices
  const ttlMs = Math.max(1, ...kept.map(({ expiresAt }) => expiresAt - time))
  return { value: { devices: kept }, ttlMs }
}

/** 256 random bits. One that replaces another shares its first half, by which that one is recognized later. */
function newToken(replaced?: string): string {
  const bytes = randomBytes(2 * halfBytes)
  if (replaced !== undefined) Buffer.from(replaced, 'base64url').copy(bytes, 0, 0, halfBytes)
  return bytes.toString('base64url')
}

/** A plain hash suffices: 128 random bits cannot be guessed. */
function tokenHash(token: string): string {
  return hash('sha256', token, 'base64url')
}

function familyOf(token: string): string {
  return hash('sha256', Buffer.from(token, 'base64url').subarray(0, halfBytes), 'base64url')
}
