import { clockLeewayMs } from '../../lib/time.js'
import type { PhoneNumber } from '../../phone-number.js'
import type { DomainServices } from '../keys.js'
import { createUpdater, type Updater, update } from '../updater.js'
import { createDeviceMarks, type DeviceMark, newDeviceId, timeIn } from './device-marks.js'
import type { Grants } from './grants.js'
import { add, live, remove, type StoredDevice, type StoredDevices, undoUse, use } from './trusted-device.js'

/**
 * How long a success keeps a browser known, and how long a trusted browser replaces the code, in milliseconds. 0 if the
 * feature is off.
 */
export interface DeviceAges {
  readonly knownMaxAgeMs: number
  readonly trustedMaxAgeMs: number
}

/** Returns the maximum lifetime of a device cookie, which is also that of its revocation. */
export const deviceLifetimeMs = ({ knownMaxAgeMs, trustedMaxAgeMs }: DeviceAges): number =>
  Math.max(knownMaxAgeMs, trustedMaxAgeMs)

/** A browser that can replace the code at sign-in. Times are milliseconds since 1970. */
export interface TrustedDevice extends StoredDevice {
  /** True if the request came from this browser. Absent in a list without a request. */
  readonly isThis?: boolean
}

/** Input for a new trusted device. */
export interface Trust {
  readonly label?: string | undefined
}

/** A success in a browser. */
export interface BrowserSuccess {
  /** The browser becomes trusted. Absent if the user does not ask for it. */
  readonly trust?: Trust | undefined
  /** The number to which the correct code was sent. Absent for any other factor. */
  readonly phone?: PhoneNumber | undefined
}

interface DeviceParts extends DomainServices, DeviceAges {
  readonly namespace: string
  readonly grants: Pick<Grants, 'devicesEndedAt' | 'endDevices'>
}

export type Devices = ReturnType<typeof createDevices>

/** Creates access to the known and trusted browsers of all accounts. */
export function createDevices(parts: DeviceParts) {
  const { store, keys, secrets, namespace, grants, now, emit } = parts
  const marks = createDeviceMarks(secrets, namespace)
  const opened = { ...parts, marks }

  /** Ends the devices that do not stay. Reports a revocation only if there was one. */
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
    /**
     * Opens the browser that sends these tokens. Pass `endedAt` if the request has already read the account's record.
     */
    open(
      subject: string,
      tokens: readonly string[],
      endedAt: () => Promise<number> = () => grants.devicesEndedAt(subject),
    ): BrowserDevice {
      // The newest: a cookie set before the session's became partitioned is sent as well, and first.
      const [mark] = tokens
        .flatMap((token) => marks.read(subject, token) ?? [])
        .sort((one, other) => other.at - one.at)
      return new BrowserDevice(opened, subject, mark, endedAt)
    },
    /** Lists the trusted browsers. `here` is the browser of the request. */
    async list(subject: string, here?: BrowserDevice): Promise<readonly TrustedDevice[]> {
      const [entry, endedAt, current] = await Promise.all([
        store.read(keys.devices(subject)),
        grants.devicesEndedAt(subject),
        here?.trusted(),
      ])
      return live(entry?.value as StoredDevices | undefined, now())
        .filter(({ trustedAt }) => trustedAt > endedAt)
        .map((device) => ({ ...device, ...(here && { isThis: device.id === current?.id }) }))
    },
    /** Ends the trust in one browser. It stays known. */
    revoke: (subject: string, id: string) => end(subject, (device) => device.id !== id),
    /** Ends all known and trusted browsers of an account. */
    async revokeSubject(subject: string): Promise<void> {
      await grants.endDevices(subject)
      await end(subject, () => false)
    },
    /** Removes the trusted browsers of an account whose devices were revoked. */
    forgetSubject: (subject: string) => end(subject, () => false),
  }
}

/**
 * The browser of one request. It alone decides whether the browser is known or trusted. It is a class for the reason
 * given at `OpenSubject`.
 */
export class BrowserDevice {
  private readonly entry: Updater<StoredDevices>
  /** Time of everything that this request grants. A later revocation ends it. */
  private readonly openedAt: number
  private found: Promise<StoredDevice | undefined> | undefined
  /** The device that this request has started to trust. */
  private added: string | undefined

  constructor(
    private readonly parts: DeviceParts & { readonly marks: ReturnType<typeof createDeviceMarks> },
    private readonly subject: string,
    /** Content of its cookie. Undefined without a valid one. */
    private readonly mark: DeviceMark | undefined,
    private readonly endedAt: () => Promise<number>,
  ) {
    this.openedAt = parts.now()
    this.entry = createUpdater(parts.store, parts.keys.devices(subject))
  }

  get isTracked(): boolean {
    return this.parts.knownMaxAgeMs > 0
  }

  /** Returns whether this account has signed in here before. It gives a share of the limits, never access. */
  async isKnown(): Promise<boolean> {
    const { mark, parts } = this
    if (mark === undefined || !this.isTracked) return false
    if (parts.now() - mark.at >= parts.knownMaxAgeMs) return false
    return this.isInForce(mark)
  }

  /**
   * Returns whether a code that was sent to this number for this account was correct here, recently. An attacker's own
   * accounts may carry the number of the owner, so a success by any other factor does not count (denial of service).
   */
  async isKnownAt(phone: PhoneNumber): Promise<boolean> {
    const { mark, parts, subject } = this
    if (mark === undefined) return false
    const at = parts.marks.verifiedAt(subject, mark, phone)
    if (at === 0 || parts.now() - at >= parts.knownMaxAgeMs) return false
    // A revocation ends it: the next success stores no number that was verified before.
    return this.isKnown()
  }

  /** Returns the trusted device of this browser, which can replace the code. */
  trusted(): Promise<StoredDevice | undefined> {
    this.found ??= this.findTrusted()
    return this.found
  }

  /** Records that the browser replaces the code. Returns false and writes nothing if it is no longer trusted. */
  async standIn(): Promise<boolean> {
    const { subject, parts } = this
    const device = await this.trusted()
    if (device === undefined) return false
    const isUsed = await this.entry.update((stored) => use(stored, device.id, parts.now()))
    if (isUsed) parts.emit({ type: 'device.used', subject })
    return isUsed
  }

  /** Records a success. Returns the new token for the browser, or undefined if it keeps the old one. */
  async succeed({ trust, phone }: BrowserSuccess = {}): Promise<string | undefined> {
    const { subject, mark, parts, openedAt: at } = this
    // A new id, so that a copy of the old cookie does not become trusted.
    const trusted = trust && (await this.trust(trust).catch(() => undefined))
    if (trusted === undefined && parts.knownMaxAgeMs === 0) return undefined
    const isSame = mark !== undefined && (await this.isInForce(mark))
    const id = trusted ?? (isSame ? mark.id : newDeviceId())
    const earlier = isSame ? mark.numbers : []
    const numbers = phone ? parts.marks.withNumber(subject, earlier, phone, at) : earlier
    return parts.marks.sign(subject, { id, at, numbers })
  }

  /** Ends the trust that this request has started. */
  async undo(): Promise<void> {
    const { added, parts } = this
    if (added !== undefined) await this.entry.update((stored) => undoUse(stored, added, parts.now()))
  }

  /** Trusts the browser and returns its new id. */
  private async trust({ label }: Trust): Promise<string> {
    const { subject, mark, parts, openedAt: at } = this
    const id = newDeviceId()
    this.added = id
    const device = { id, label, trustedAt: at, usedAt: at, endsAt: at + parts.trustedMaxAgeMs }
    try {
      await this.entry.update((stored) => add(stored, device, mark?.id, at))
    } catch (error) {
      // Written after the deadline, so its token reaches no browser.
      this.undo().catch(() => undefined)
      throw error
    }
    parts.emit({ type: 'device.trusted', subject })
    return id
  }

  private async findTrusted(): Promise<StoredDevice | undefined> {
    const { mark, parts } = this
    if (mark === undefined || parts.trustedMaxAgeMs === 0) return undefined
    const [isInForce, stored] = await Promise.all([this.isInForce(mark), this.entry.prefetch()])
    return isInForce ? live(stored, parts.now()).find(({ id }) => id === mark.id) : undefined
  }

  /** Returns whether no revocation has ended the cookie. */
  private async isInForce({ at }: Pick<DeviceMark, 'at'>): Promise<boolean> {
    // Set by a clock that is wrong. The cookie would outlive its revocation.
    if (at - this.parts.now() > clockLeewayMs) return false
    return at > (await this.endedAt())
  }
}
