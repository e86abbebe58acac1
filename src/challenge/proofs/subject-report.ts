import { maxRecoveryTries, type SubjectRecord } from './subject-record.js'

/** What an operator sees of the record of a subject. */
export interface SubjectReport {
  /** Sessions with a proof that is valid. */
  readonly sessions: number
  /** Recovery codes that were tried in the day that runs. */
  readonly recoveryTries: {
    readonly count: number
    /** How many a day has. */
    readonly most: number
    /** Milliseconds until they come back; 0 where none was made. */
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
