import type { Emit } from '../../events.js'
import { type Awaitable, andThen, ignoreRejection } from '../../lib/awaitable.js'
import type { Store } from '../../store/store.js'
import type { Keys } from '../keys.js'
import { createUpdater, type Update, unchanged, update } from '../updater.js'
import {
  familyOf,
  isReplaced,
  isShownBy,
  isTrusted,
  live,
  newToken,
  put,
  type Stored,
  type StoredDevice,
  succeeded,
  tokenHash,
} from './stored-device.js'

/** A browser that may stand in for the code at sign-in. Times in milliseconds since 1970. */
export interface TrustedDevice {
  /** For `tf.trustedDevices.revoke`. */
  readonly id: string
  /** When the person asked for it. */
  readonly trustedAt: number
  /** When it last replaced a code. */
  readonly usedAt: number
  /** Never moves, however often the device is used. */
  readonly endsAt: number
}

/** What the browser keeps: 256 random bits, until `expiresAt`. */
export interface DeviceToken {
  readonly token: string
  readonly expiresAt: number
}

/** The browser of one request, by the token that it shows. */
export interface Device {
  /** Whether this subject has succeeded in it before. Gives a budget of its own, never access. */
  readonly known: Awaitable<boolean>
  /** Tag of the way of the last code that was right in it. */
  readonly lastWay: Awaitable<string | undefined>
  /** Whether it may stand in for the code. */
  isTrusted(): Awaitable<boolean>
  /** Records a code typed in it, and what the browser keeps from now on; undefined when it keeps what it has. */
  succeed(trust: boolean, way?: string): Promise<DeviceToken | undefined>
  /** Records that it stands in for the code; undefined, and nothing is written, when it is trusted no more. */
  standIn(): Promise<Stood | undefined>
  /** Restores the state before a success, but for the token where the browser holds the new one already. */
  undo(isDelivered?: boolean): Promise<void>
}

/** A success, and what the browser keeps from now on unless it keeps what it has. */
type Stood = { readonly kept?: DeviceToken }

export interface Devices {
  /** Reads the devices of a subject together with what is under way. */
  open(subject: string, token: string | undefined): Device
  list(subject: string): Promise<readonly TrustedDevice[]>
  revoke(subject: string, id: string): Promise<void>
  revokeSubject(subject: string): Promise<void>
}

export function createDevices(parts: {
  readonly store: Store
  readonly keys: Keys
  /** How long after its last success a browser is known; 0 when the feature is off. */
  readonly knownMaxAgeMs: number
  /** How long a trusted device replaces the code; 0 when the feature is off. */
  readonly trustedMaxAgeMs: number
  readonly now: () => number
  readonly emit: Emit
}): Devices {
  const { store, keys, knownMaxAgeMs, now, emit } = parts

  /** Removes the devices that `stays` rejects and reports it only when there were any. */
  async function remove(
    subject: string,
    type: 'device.revoked' | 'device.reused',
    stays: (device: StoredDevice) => boolean,
  ): Promise<void> {
    const removed = await update(store, keys.devices(subject), (stored: Stored | undefined) => {
      const before = live(stored, now())
      const kept = before.filter(stays)
      return kept.length === before.length ? { outcome: false } : { outcome: true, put: put(kept, now()) }
    })
    if (removed) emit({ type, subject })
  }

  return {
    open(subject, token) {
      const updater = createUpdater<Stored>(store, keys.devices(subject))
      const shown = token === undefined ? undefined : { hash: tokenHash(token), family: familyOf(token) }
      let previous: StoredDevice | undefined
      let written: StoredDevice | undefined

      function shownIn(devices: readonly StoredDevice[]): Awaitable<StoredDevice | undefined> {
        if (shown === undefined) return undefined
        // Token theft (RFC 9700, 4.14.2): a replaced token is in two hands, and one of them may be a thief's.
        if (devices.some((device) => isReplaced(device, shown, now()))) {
          const stays = (device: StoredDevice) => !isReplaced(device, shown, now())
          return andThen(remove(subject, 'device.reused', stays), () => undefined)
        }
        return devices.find((device) => isShownBy(device, shown, now()))
      }

      const found = andThen(updater.prefetch(), (stored) => shownIn(live(stored, now())))
      const known = andThen(found, (device) => knownMaxAgeMs > 0 && device !== undefined)
      const lastWay = andThen(found, (device) => device?.way)
      for (const fact of [known, lastWay]) ignoreRejection(fact)

      async function record(trust: boolean, isCodeTyped: boolean, way?: string): Promise<Stood | undefined> {
        const recording = async () =>
          updater.update((stored): Update<Stored, Stood | undefined> => {
            const devices = live(stored, now())
            previous = shown && devices.find((device) => isShownBy(device, shown, now()))
            // A copied cookie that was revoked since it was read would get in, and be handed a token that counts.
            if (!isCodeTyped && !(previous && isTrusted(previous, now()))) return unchanged
            // Requests that were sent together show the same token: one is given the next.
            if (previous !== undefined && previous.hash !== shown?.hash && !trust) return { outcome: {} }
            const fresh = newToken(previous && token)
            written = succeeded(previous, fresh, { trust, way }, parts, now())
            const others = devices.filter((other) => other !== previous)
            const kept = { token: fresh, expiresAt: written.expiresAt }
            return { outcome: { kept }, put: put([...others, written], now()) }
          })
        const recorded = recording()
        // Made, but answered too late: its token goes nowhere, and the owner's would pass for a stolen one.
        recorded.catch(() => undo()).catch(() => undefined)
        const stood = await recorded
        const isUsed = previous !== undefined && isTrusted(previous, now())
        if (trust || isUsed) emit({ type: trust ? 'device.trusted' : 'device.used', subject })
        return stood
      }

      async function undo(isDelivered = false): Promise<void> {
        const mine = written
        if (mine === undefined) return
        await updater.update((stored): Update<Stored, void> => {
          const devices = live(stored, now())
          const others = devices.filter(({ hash }) => hash !== mine.hash)
          // With its old hash, the browser that shows the token it was given would pass for a thief's.
          const token = isDelivered ? { hash: mine.hash, previous: mine.previous, usedAt: mine.usedAt } : {}
          // Revoked meanwhile: what it was before must not come back either.
          const isGone = others.length === devices.length
          const before = previous === undefined || isGone ? [] : [{ ...previous, ...token }]
          // Written even so: what a slow store still has to run does not fit over a new version.
          return { outcome: undefined, put: put([...others, ...before], now()) }
        })
      }

      return {
        known,
        lastWay,
        isTrusted: () => andThen(found, (device) => device !== undefined && isTrusted(device, now())),
        async succeed(trust, way) {
          const before = await found
          if (knownMaxAgeMs === 0 && !trust && before === undefined) return undefined
          return (await record(trust, true, way))?.kept
        },
        standIn: () => record(false, false),
        undo,
      }
    },

    async list(subject) {
      const entry = await store.read(keys.devices(subject))
      const trusted = live(entry?.value as Stored | undefined, now()).filter((one) => isTrusted(one, now()))
      return trusted.map(({ id, trustedAt = 0, usedAt, trustExpiresAt = 0 }) => {
        return { id, trustedAt, usedAt, endsAt: trustExpiresAt }
      })
    },
    revoke: (subject, id) => remove(subject, 'device.revoked', (device) => device.id !== id),
    revokeSubject: (subject) => remove(subject, 'device.revoked', () => false),
  }
}
