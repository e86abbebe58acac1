import type { Finding } from '../store/store.js'
import { isCodeProvider } from './provider-option.js'
import type { Settings } from './resolve.js'

/** What `selfTest` says about the options themselves. */
export function settingFindings(
  settings: Pick<Settings, 'secret' | 'provider' | 'calibratedAt'>,
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
  return findings
}
