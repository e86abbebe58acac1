import { createBackground } from '../../lib/promises.js'
import { type PhoneRefusal, parsePhoneNumber } from '../../phone-number.js'
import type { Store } from '../../store/store.js'
import { openDomain, withStoreDeadline } from '../domain.js'
import { createKeys, createSecrets } from '../keys.js'
import { judgedIn, type LedgerSnapshot, type Send } from '../ledger/ledger.js'
import { rememberedMs } from '../ledger/pacing.js'
import { defaultLimits, defaultTimeouts } from '../limits.js'
import type { TrustedDevice } from '../proofs/devices.js'
import type { SubjectReport } from '../proofs/subject-report.js'
import { createDeployments, type NoDeployment } from './deployment.js'
import { lockedForMs, type Waits, waitsOf } from './lockouts.js'

/** A code of the last day. Nothing says to which number it went. Times in milliseconds since 1970. */
export interface CodeReport {
  readonly at: number
  readonly channel: string
  /** `booked`: nobody knows yet; `entered`: it was typed, and was right. */
  readonly state: Send['state'] | 'entered'
  readonly inKnownBrowser: boolean
  /** It counts no more for the next one, after `unlock`. */
  readonly isForgiven: boolean
}

/** What one ledger holds, of an account or of a number at sign-up. Durations in milliseconds. */
export interface LedgerReport {
  /** Whether anything is remembered. */
  readonly isKnown: boolean
  readonly lockedForMs: number
  /** Wrong codes since the last success. */
  readonly judged: number
  /** In browsers in which the account has not succeeded before. */
  readonly strangers: Waits
  /** The newest last. */
  readonly codes: readonly CodeReport[]
}

/** All that is remembered of an account. */
export interface PersonReport extends LedgerReport, SubjectReport {
  /** In browsers in which it has succeeded before; absent where the app does not tell browsers apart. */
  readonly known?: Waits
  readonly trustedDevices: readonly TrustedDevice[]
}

/** The sign-ups of all processes. */
export interface SignupsReport {
  /** Until codes are sent again, in milliseconds; 0 where they are. */
  readonly pausedForMs: number
  /** What the hour and the day (UTC) have come to. */
  readonly windows: readonly {
    readonly window: 'hour' | 'day'
    readonly sent: number
    /** Numbers proven. */
    readonly approved: number
  }[]
}

export type Inspection = Exclude<Awaited<ReturnType<typeof openInspection>>, NoDeployment>

// An operator sends and checks no codes, and nothing is proven at the desk.
const notSent = async () => ({ result: 'not-sent' }) as const
const notChecked = async () => 'not-sent' as const
const nothing = { maxAgeMs: 0, once: true, channels: [], trustedDevice: false, browserStartable: false }
const unproven = (name: string) => ({ ...nothing, name })

/** A person waits for the answer, over a network perhaps. */
const patientMs = 2_000

/**
 * What an operator's command works on: the store and the secret of an app, without the app. Its limits are those that the
 * app has left in the store.
 */
export async function openInspection(
  where: {
    readonly store: Store
    readonly secret: string
    readonly namespace: string
  },
  now: () => number = Date.now,
) {
  const { namespace } = where
  const emit = () => undefined
  const secrets = createSecrets([where.secret])
  const store = withStoreDeadline(where.store, patientMs, { now, emit })
  const keys = createKeys(namespace, secrets)
  const deployment = await createDeployments({ store, keys, secrets, namespace }).find()
  if (typeof deployment === 'string') return deployment
  const { subjects, grants, devices, enrolledLedgerOf, signups, signupPause } = openDomain({
    ...deployment,
    // A limit that came with a later version than the one that serves.
    limits: { ...defaultLimits, ...defaultTimeouts, ...deployment.limits, storeTimeoutMs: patientMs },
    store: where.store,
    secret: [where.secret],
    namespace,
    provider: { sendCode: notSent, checkCode: notChecked },
    purposes: [],
    defaultPurpose: unproven,
    appName: {},
    countries: 'any',
    signupGuard: { mode: 'observe', unprovenPerHour: 0, unprovenPerDay: 0, ratio: 0 },
    background: createBackground(),
    now,
    emit,
  })

  return {
    async person(subject: string): Promise<PersonReport> {
      const [{ snapshot, strangers, known }, { sessions, recoveryTries }, trustedDevices] = await Promise.all(
        [subjects.look(subject), grants.look(subject), devices.list(subject)],
      )
      const ledger = ledgerReport(snapshot, strangers)
      return {
        ...ledger,
        isKnown: ledger.isKnown || sessions + recoveryTries.count + trustedDevices.length > 0,
        ...(deployment.knownMaxAgeMs > 0 && { known }),
        sessions,
        trustedDevices,
        recoveryTries,
      }
    },
    unlock: subjects.unlock,
    revokeEverything: subjects.revokeEverything,

    signups: {
      pause: signupPause.begin,
      resume: signupPause.end,
      /** Whether they are paused, and what was sent. */
      async state(): Promise<SignupsReport> {
        const [remainingMs = 0, windows] = await Promise.all([signupPause.remainingMs(), signups.sums()])
        return { pausedForMs: remainingMs, windows }
      },
    },

    /** A number at sign-up, in any spelling with its country code. */
    async number(spelled: string): Promise<LedgerReport | PhoneRefusal> {
      const parsed = await parsePhoneNumber(spelled, { countries: 'any' })
      if (!parsed.ok) return parsed.refusal
      const snapshot = await enrolledLedgerOf(parsed.phone).read()
      return ledgerReport(snapshot, waitsOf(snapshot, 'unknown'))
    },
  }
}

function ledgerReport(snapshot: LedgerSnapshot, strangers: Waits): LedgerReport {
  const { ledger, now } = snapshot
  return {
    isKnown: ledger.at > 0,
    lockedForMs: lockedForMs(snapshot),
    judged: judgedIn(ledger),
    strangers,
    codes: ledger.sends.filter(({ at }) => at > now - rememberedMs).map(codeReport),
  }
}

function codeReport(send: Send): CodeReport {
  const { at, channel, state, browserKind, challenge, forgiven } = send
  return {
    at,
    channel,
    state: challenge === undefined ? 'entered' : state,
    inKnownBrowser: browserKind === 'known',
    isForgiven: forgiven === true,
  }
}
