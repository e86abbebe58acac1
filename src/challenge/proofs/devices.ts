import { type Awaitable, all, andThen } from '../../lib/promises.js'
import { clockLeewayMs } from '../../lib/time.js'
import type { DomainServices } from '../keys.js'
import { createUpdater, type Updater, update } from '../updater.js'
import { createDeviceMarks, type DeviceMark, newDeviceId, timeIn } from './device-marks.js'
import type { Grants } from './grants.js'
import { add, live, remove, type StoredDevice, type StoredDevices, undoUse, use } from './trusted-device.js'

/** For how long a success makes a browser known, and a trusted one replaces the code, in milliseconds; 0 where that is off. */
export interface DeviceAges {
  readonly knownMaxAgeMs: number
  readonly trustedMaxAgeMs: number
}

/** Longer than that no device cookie lives, nor what ends it. */
export const deviceLifetimeMs = ({ knownMaxAgeMs, trustedMaxAgeMs }: DeviceAges): number =>
  Math.max(knownMaxAgeMs, trustedMaxAgeMs)

/** A browser that may stand in for the code at sign-in. Times in milliseconds since 1970. */
export interface TrustedDevice extends StoredDevice {
  /** Whether the request of the list came from it; absent in a list without a request. */
  readonly isThis?: boolean
}

/** What a trusted device is made with. */
export interface Trust {
  readonly label?: string | undefined
}

interface DeviceParts extends DomainServices, DeviceAges {
  readonly namespace: string
  readonly grants: Pick<Grants, 'devicesEndedAt' | 'endDevices'>
}

export type Devices = ReturnType<typeof createDevices>

/** The browsers of all subjects that are known or trusted. */
export function createDevices(parts: DeviceParts) {
  const { store, keys, secrets, namespace, grants, now, emit } = parts
  const marks = createDeviceMarks(secrets, namespace)
  const opened = { ...parts, marks }

  /** Reports it only when there were any. */
  async function end(subject: string, stays: (device: StoredDevice) => boolean): Promise<void> {
    const ended = await update(store, keys.devices(subject), (stored: StoredDevices | undefined) =>
      remove(stored, stays, now()),
    )
    if (ended) emit({ type: 'device.revoked', subject })
  }

  return {
    namesFor: marks.namesFor,
    timeIn,
    lifetimeMs: deviceLifetimeMs(parts),
    /** The browser that shows these tokens. `endedAt`: where the request has the record of the subject in hand. */
    open(
      subject: string,
      tokens: readonly string[],
      endedAt: () => Awaitable<number> = () => grants.devicesEndedAt(subject),
    ): BrowserDevice {
      const shown = tokens.map((token) => marks.read(subject, token)).find((mark) => mark !== undefined)
      return new BrowserDevice(opened, subject, shown, endedAt)
    },
    /** The trusted ones. `here`: the browser of a request. */
    async list(subject: string, here?: BrowserDevice): Promise<readonly TrustedDevice[]> {
      const [entry, endedAt, current] = await all([
        store.read(keys.devices(subject)),
        grants.devicesEndedAt(subject),
        here?.trusted(),
      ])
      return live(entry?.value as StoredDevices | undefined, now())
        .filter(({ trustedAt }) => trustedAt > endedAt)
        .map((device) => ({ ...device, ...(here && { isThis: device.id === current?.id }) }))
    },
    /** Ends the trust in one. It stays known. */
    revoke: (subject: string, id: string) => end(subject, (device) => device.id !== id),
    /** Ends all that are trusted or known. */
    async revokeSubject(subject: string): Promise<void> {
      await grants.endDevices(subject)
      await end(subject, () => false)
    },
    /** Forgets the trusted ones of a subject whose devices were ended. */
    forgetSubject: (subject: string) => end(subject, () => false),
  }
}

/**
 * The browser of one request: the one place that says whether it is known, and whether it is trusted. A class for the
 * same reason as `OpenSubject`.
 */
export class BrowserDevice {
  private readonly entry: Updater<StoredDevices>
  /** The time of what this request gives it: a revocation that comes meanwhile ends that, too. */
  private readonly openedAt: number
  private found: { readonly device: Awaitable<StoredDevice | undefined> } | undefined
  /** The device that this request has begun to trust. */
  private added: string | undefined

  constructor(
    private readonly parts: DeviceParts & { readonly marks: ReturnType<typeof createDeviceMarks> },
    private readonly subject: string,
    /** What its cookie says; undefined without one of ours. */
    private readonly shown: DeviceMark | undefined,
    private readonly endedAt: () => Awaitable<number>,
  ) {
    this.openedAt = parts.now()
    this.entry = createUpdater(parts.store, parts.keys.devices(subject))
  }

  /** Whether this subject has succeeded in it before. Gives a share of the limits, never access. */
  isKnown(): Awaitable<boolean> {
    const { shown, parts } = this
    if (shown === undefined || parts.knownMaxAgeMs === 0) return false
    if (parts.now() - shown.at >= parts.knownMaxAgeMs) return false
    return this.isInForce(shown)
  }

  /** The trusted device that it is, which may stand in for the code. */
  trusted(): Awaitable<StoredDevice | undefined> {
    const { shown, parts } = this
    if (shown === undefined || parts.trustedMaxAgeMs === 0) return undefined
    this.found ??= {
      device: andThen(all([this.isInForce(shown), this.entry.prefetch()]), ([isInForce, stored]) =>
        isInForce ? live(stored, parts.now()).find(({ id }) => id === shown.id) : undefined,
      ),
    }
    return this.found.device
  }

  /** Records that it stands in for the code; false, and nothing is written, when it is trusted no more. */
  async standIn(): Promise<boolean> {
    const { subject, parts } = this
    const device = await this.trusted()
    if (device === undefined) return false
    const isUsed = await this.entry.update((stored) => use(stored, device.id, parts.now()))
    if (isUsed) parts.emit({ type: 'device.used', subject })
    return isUsed
  }

  /** Records a success. Returns the token that the browser keeps from now on; undefined when it keeps what it has. */
  async succeed(trust?: Trust): Promise<string | undefined> {
    const { subject, shown, parts, openedAt: at } = this
    // A cookie that was copied before must not become a trusted one: it gets another id.
    const trusted = trust && (await this.trust(trust).catch(() => undefined))
    if (trusted === undefined && parts.knownMaxAgeMs === 0) return undefined
    const isSame = shown !== undefined && (await this.isInForce(shown))
    return parts.marks.sign(subject, { id: trusted ?? (isSame ? shown.id : newDeviceId()), at })
  }

  /** Ends the trust that this request has begun. */
  async undo(): Promise<void> {
    const { added, parts } = this
    if (added !== undefined) await this.entry.update((stored) => undoUse(stored, added, parts.now()))
  }

  /** Its id from now on. */
  private async trust({ label }: Trust): Promise<string> {
    const { subject, shown, parts, openedAt: at } = this
    const id = newDeviceId()
    this.added = id
    const device = { id, label, trustedAt: at, usedAt: at, endsAt: at + parts.trustedMaxAgeMs }
    try {
      await this.entry.update((stored) => add(stored, device, shown?.id, at))
    } catch (error) {
      // Made, but answered too late: its token goes nowhere.
      this.undo().catch(() => undefined)
      throw error
    }
    parts.emit({ type: 'device.trusted', subject })
    return id
  }

  /** Whether no revocation has ended it. */
  private isInForce({ at }: DeviceMark): Awaitable<boolean> {
    // Set by a clock that is wrong, and it would outlive its revocation.
    if (at - this.parts.now() > clockLeewayMs) return false
    return andThen(this.endedAt(), (endedAt) => at > endedAt)
  }
}
