import type { Finding } from '../store/store.js'
import { isCodeProvider } from './provider-option.js'
import type { Settings } from './resolve.js'

/** What `selfTest` says about the options themselves. */
export function settingFindings(
  settings: Pick<Settings, 'secret' | 'provider' | 'calibratedAt' | 'approvedStatuses'>,
  /** The last status outside `approvedStatuses`, when no code was approved since. */
  unapproved?: string,
): readonly Finding[] {
  const findings: Finding[] = []
  // Long enough for the check of the option, and the first thing that anybody guesses.
  if (settings.secret.some((secret) => /^(.)\1*$/s.test(secret))) {
    findings.push({
      code: 'secret_weak',
      message: 'A secret is one character, repeated.',
      fix: 'make one with: openssl rand -base64 48',
    })
  }
  // A sandbox needs no calibration, so only production is asked about it.
  const guessed = settings.calibratedAt === undefined && !isCodeProvider(settings.provider)
  if (guessed && process.env.NODE_ENV === 'production') {
    findings.push({
      code: 'statuses_guessed',
      message: 'approvedStatuses was never calibrated: a guess admits anybody, or nobody.',
      fix: 'run npx express-two-factor calibrate, and pass the calibratedAt that it prints',
    })
  }
  if (unapproved !== undefined) {
    findings.push({
      code: 'status_unexpected',
      message: `The last code was answered with the status "${unapproved}", which approvedStatuses lacks.`,
      fix: statusFix(settings.approvedStatuses, unapproved),
    })
  }
  return findings
}

/** What to do about a status that nobody has listed. A wrong code may have one of its own, which admits everybody. */
export function statusFix(approvedStatuses: readonly string[], status: string): string {
  const list = [...approvedStatuses, status].map((one) => JSON.stringify(one)).join(', ')
  return `if that code was right: approvedStatuses: [${list}], which npx express-two-factor calibrate confirms`
}
