import { createBackground } from '../../lib/promises.js'
import { type PhoneRefusal, parsePhoneNumber } from '../../phone-number.js'
import type { Store } from '../../store/store.js'
import { openDomain, withStoreDeadline } from '../domain.js'
import { createKeys, createSecrets } from '../keys.js'
import { countConsecutiveWrongCodes, type LedgerSnapshot, type Send } from '../ledger/ledger.js'
import { rememberedMs } from '../ledger/pacing.js'
import { defaultLimits, defaultTimeouts } from '../limits.js'
import type { TrustedDevice } from '../proofs/devices.js'
import type { SubjectReport } from '../proofs/subject-report.js'
import type { NumberState } from '../rate-limits/number-counters.js'
import { createDeployments, listSecretUsers, type NoDeployment, shortHashOf } from './deployment.js'
import { lockedForMs, type OfNumber, type Waits, waitsOf } from './lockouts.js'

/** A code of the last day, without its number. Times are milliseconds since 1970. */
export interface CodeReport {
  readonly at: number
  readonly channel: string
  /** `booked`: the outcome is not known yet. `entered`: the code was submitted and correct. */
  readonly state: Send['state'] | 'entered'
  readonly inKnownBrowser: boolean
  /** True if the code no longer counts for the next one, after `unlock` or an approval by other means. */
  readonly isForgiven: boolean
}

/** Report on the ledger of an account, or of a number at sign-up. Durations are milliseconds. */
export interface LedgerReport {
  /** True if anything is stored. */
  readonly isKnown: boolean
  readonly lockedForMs: number
  /** Consecutive wrong codes. */
  readonly judged: number
  /** Waits in browsers in which the account has not signed in before. */
  readonly strangers: Waits
  /** Codes of the last day, oldest first. */
  readonly codes: readonly CodeReport[]
  /** Times of accepted passkeys in the last day, of at most 20 successes. */
  readonly passkeys: readonly number[]
}

/** Report on everything that is stored about an account. */
export interface PersonReport extends LedgerReport, SubjectReport {
  /** Waits in browsers in which the account has signed in before. Absent if the app does not track browsers. */
  readonly known?: Waits
  readonly trustedDevices: readonly TrustedDevice[]
  /** Counters of the number in the command, over all accounts. */
  readonly number?: NumberState
}

/** Report on the sign-ups of all processes. */
export interface SignupsReport {
  /** Milliseconds until codes are sent again. 0 if sign-ups are not paused. */
  readonly pausedForMs: number
  /** Totals of the current UTC hour and day. */
  readonly windows: readonly {
    readonly window: 'hour' | 'day'
    readonly sent: number
    /** Verified numbers. */
    readonly approved: number
  }[]
}

export type { SecretUsers } from './deployment.js'
export { listSecretUsers, shortHashOf }

export type Inspection = Exclude<Awaited<ReturnType<typeof openInspection>>, NoDeployment>

// An operator's command sends and checks no codes.
const notSent = async () => ({ result: 'not-sent' }) as const
const notChecked = async () => 'not-sent' as const
const nothing = { maxAgeMs: 0, once: true, channels: [], trustedDevice: false, browserStartable: false }
const nameOnly = (name: string) => ({ ...nothing, name })

/** An operator waits for the result, perhaps over a slow network. */
const patientMs = 2_000

/**
 * Opens the data of an app for an operator's command: the store and the secret, without the app. It uses the limits
 * that the app has stored.
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
  const deployment = await createDeployments({ store, keys, secrets, namespace, now }).find()
  if (typeof deployment === 'string') return deployment
  const { subjects, grants, devices, enrolledLedgerOf, signups, signupPause } = openDomain({
    ...deployment,
    // The stored record lacks limits that were added in a later version.
    limits: { ...defaultLimits, ...defaultTimeouts, ...deployment.limits, storeTimeoutMs: patientMs },
    store: where.store,
    secret: [where.secret],
    namespace,
    provider: { sendCode: notSent, checkCode: notChecked },
    purposes: [],
    defaultPurpose: nameOnly,
    appName: {},
    countries: 'any',
    signupGuard: { mode: 'observe', unprovenPerHour: 0, unprovenPerDay: 0, ratio: 0 },
    background: createBackground(),
    now,
    emit,
  })

  return {
    async person(subject: string, of?: OfNumber): Promise<PersonReport> {
      const [{ snapshot, strangers, known, number }, { sessions, recoveryTries }, trustedDevices] =
        await Promise.all([subjects.look(subject, of), grants.look(subject), devices.list(subject)])
      const ledger = ledgerReport(snapshot, strangers)
      return {
        ...ledger,
        isKnown: ledger.isKnown || sessions + recoveryTries.count + trustedDevices.length > 0,
        ...(deployment.knownMaxAgeMs > 0 && { known }),
        ...(number && { number }),
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
      /** Returns whether sign-ups are paused, and how many codes they used. */
      async state(): Promise<SignupsReport> {
        const [remainingMs = 0, windows] = await Promise.all([signupPause.remainingMs(), signups.sums()])
        return { pausedForMs: remainingMs, windows }
      },
    },

    /** Reports on a number at sign-up, in any spelling with its country code. */
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
    judged: countConsecutiveWrongCodes(ledger),
    strangers,
    codes: ledger.sends.filter(({ at }) => at > now - rememberedMs).map(codeReport),
    passkeys: ledger.usedCodes.flatMap(({ at, by }) =>
      by !== undefined && at > now - rememberedMs ? [at] : [],
    ),
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
