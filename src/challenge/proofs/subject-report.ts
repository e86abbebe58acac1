import { maxRecoveryTries, type SubjectRecord } from './subject-record.js'

/** Report on the record of an account. */
export interface SubjectReport {
  /** Sessions with a valid grant. */
  readonly sessions: number
  /** Recovery codes tried in the current day. */
  readonly recoveryTries: {
    readonly count: number
    /** Maximum per day. */
    readonly most: number
    /** Milliseconds until the count is reset. 0 if there is none. */
    readonly endsInMs: number
  }
}

export function reportSubject({ grants, recoveryTries }: SubjectRecord, now: number): SubjectReport {
  const live = grants.filter(({ expiresAt }) => now < expiresAt)
  const isRunning = recoveryTries !== undefined && now < recoveryTries.expiresAt
  const { count, expiresAt } = isRunning ? recoveryTries : { count: 0, expiresAt: now }
  return {
    sessions: new Set(live.map(({ session }) => session)).size,
    recoveryTries: { count, most: maxRecoveryTries, endsInMs: expiresAt - now },
  }
}
