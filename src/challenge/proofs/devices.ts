import { type Awaitable, andThen } from '../../lib/promises.js'
import type { Fact } from '../commands.js'
import type { Basis } from '../keys.js'
import { createUpdater, type Updater, update } from '../updater.js'
import {
  type Ages,
  type BrowserFacts,
  type DeviceToken,
  isReplaced,
  isShownBy,
  isTrusted,
  live,
  remove,
  type ShownToken,
  type Stored,
  type StoredDevice,
  type Success,
  shownBy,
  succeed,
  undo,
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

type Parts = Basis & Ages

/** The browsers of all subjects that are known or trusted. */
export function createDevices(parts: Parts) {
  const { store, keys, now } = parts

  return {
    /** `maySucceed`: its entry is read even for a browser without a token, which success will give one. */
    open(subject: string, token: string | undefined, maySucceed = false): Device {
      return new Device(parts, subject, token === undefined ? undefined : shownBy(token), maySucceed)
    },
    async list(subject: string): Promise<readonly TrustedDevice[]> {
      const entry = await store.read(keys.devices(subject))
      const trusted = live(entry?.value as Stored | undefined, now()).filter((one) => isTrusted(one, now()))
      return trusted.map(({ id, trustedAt = 0, usedAt, trustExpiresAt = 0 }) => {
        return { id, trustedAt, usedAt, endsAt: trustExpiresAt }
      })
    },
    revoke: (subject: string, id: string) =>
      end(parts, subject, 'device.revoked', (device) => device.id !== id),
    revokeSubject: (subject: string) => end(parts, subject, 'device.revoked', () => false),
  }
}

/** Removes the devices that `stays` rejects and reports it only when there were any. */
async function end(
  { store, keys, now, emit }: Parts,
  subject: string,
  type: 'device.revoked' | 'device.reused',
  stays: (device: StoredDevice) => boolean,
): Promise<void> {
  const decide = (stored: Stored | undefined) => remove(stored, stays, now())
  if (await update(store, keys.devices(subject), decide)) emit({ type, subject })
}

const stranger: BrowserFacts = { isKnown: false, isTrusted: false }

/** The browser of one request, by the token that it shows. A class for the same reason as `OpenSubject`. */
export class Device implements Fact<BrowserFacts> {
  private readonly entry: Updater<Stored>
  private facts: Awaitable<BrowserFacts> | undefined
  private success: Success | undefined

  constructor(
    private readonly parts: Parts,
    private readonly subject: string,
    private readonly shown: ShownToken | undefined,
    private readonly maySucceed: boolean,
  ) {
    this.entry = createUpdater(parts.store, parts.keys.devices(subject))
  }

  read(): Awaitable<BrowserFacts> {
    if (this.shown === undefined && !this.maySucceed) return stranger
    this.facts ??= andThen(this.entry.prefetch(), (stored) => this.factsIn(stored))
    return this.facts
  }

  /** Records a code typed in it, and what the browser keeps from now on; undefined when it keeps what it has. */
  async succeed(trust: boolean): Promise<DeviceToken | undefined> {
    return (await this.record({ trust, isCodeTyped: true }))?.kept
  }

  /** Records that it stands in for the code; undefined, and nothing is written, when it is trusted no more. */
  standIn(): Promise<Success | undefined> {
    return this.record({ trust: false, isCodeTyped: false })
  }

  /** Restores the state before a success, but for the token where the browser holds the new one already. */
  async undo(isDelivered = false): Promise<void> {
    const { success } = this
    if (success?.after === undefined) return
    await this.entry.update((stored) => undo(stored, success, isDelivered, this.parts.now()))
  }

  private factsIn(stored: Stored | undefined): Awaitable<BrowserFacts> {
    const { shown, parts, subject } = this
    if (shown === undefined) return stranger
    const time = parts.now()
    const devices = live(stored, time)
    // Token theft (RFC 9700, 4.14.2): a replaced token is in two hands, and one of them may be a thief's.
    const isStolen = (device: StoredDevice) => isReplaced(device, shown, time)
    if (devices.some(isStolen)) {
      const ended = end(parts, subject, 'device.reused', (device) => !isStolen(device))
      return ended.then(() => stranger)
    }
    const device = devices.find((one) => isShownBy(one, shown, time))
    if (device === undefined) return stranger
    return { isKnown: parts.knownMaxAgeMs > 0, isTrusted: isTrusted(device, time) }
  }

  private async record(by: Parameters<typeof succeed>[2]): Promise<Success | undefined> {
    const { emit, now } = this.parts
    // Token theft: what never read the browser, such as a recovery without a number, ends a replaced token, too.
    await this.read()
    const recorded = (async () =>
      this.entry.update((stored) => {
        const decided = succeed(stored, this.shown, by, this.parts, now())
        this.success = decided.outcome
        return decided
      }))()
    // Made, but answered too late: its token goes nowhere, and the owner's would pass for a stolen one.
    recorded.catch(() => this.undo()).catch(() => undefined)
    const success = await recorded
    const isUsed = success?.before !== undefined && isTrusted(success.before, now())
    if (by.trust || isUsed) emit({ type: by.trust ? 'device.trusted' : 'device.used', subject: this.subject })
    return success
  }
}
