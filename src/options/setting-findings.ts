import type { Finding } from '../store/store.js'
import type { Settings } from './resolve.js'

/** What `selfTest` says about the options themselves. */
export function settingFindings(
  settings: Pick<Settings, 'secret'>,
  /** The last status that nobody has listed, when no code was approved since. */
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
  if (unapproved !== undefined) {
    findings.push({
      code: 'status_unexpected',
      message: `The last code was answered with the status "${unapproved}", which approvedStatuses lacks.`,
      fix: statusFix(unapproved),
    })
  }
  return findings
}

/** What to do about a status that nobody has listed. A wrong code may have one of its own, which admits everybody. */
export function statusFix(status: string): string {
  return `if that code was right: add ${JSON.stringify(status)} to approvedStatuses of providerCodes(), which npx express-two-factor calibrate confirms`
}
