import type { Limits } from '../challenge/limits.js'
import { hourMs, minuteMs, secondMs } from '../lib/time.js'

/** What holds unless the host says otherwise. Each figure names who else settled on it, or why. */
export const defaultLimits: Limits = {
  // PSD2 RTS, article 4(3)(b): five consecutive failures; Twilio Verify and Ory Kratos do the same.
  attemptsPerChallenge: 5,
  // better-auth and login.gov: ten. With five more per lock it stays far below the hundred of NIST.
  failuresBeforeLock: 10,
  // NIST SP 800-63B-4, 3.2.2: waits that grow up to an hour.
  lockMs: 15 * minuteMs,
  // NIST SP 800-63B-4, 3.2.2: no more than a hundred consecutive failures.
  failuresBeforeDisable: 100,
  failuresPerSubjectPerDay: 20,
  // NIST SP 800-63B-4, 3.1.3.2, and OWASP ASVS 5.0, 6.5.5: ten minutes at most.
  codeLifetimeMs: 10 * minuteMs,
  // Supabase and authgear: a minute, then longer.
  cooldownMs: [minuteMs, 2 * minuteMs, 5 * minuteMs],
  sendsPerChallenge: 3,
  // Auth0 and authgear: five to ten messages per hour and number.
  sendsPerHour: 5,
  sendsPerDay: 10,
  // A call costs several times what a message costs, and is a nuisance at night.
  callsPerHour: 2,
  callsPerDay: 4,
  // Also for those who enter every code: nobody signs in that often.
  allSendsPerHour: 20,
  allSendsPerDay: 50,
  // Numbers that nobody has proven are what traffic pumping is made of.
  enrolSendsPerDay: 3,
  sendsPerSubjectPerDay: 50,
  sendsPerSessionPerHour: 20,
  numbersPerSessionPerDay: 3,
  // An office or a mobile carrier shares one address among many people who sign in.
  sendsPerAddressPer10Min: 200,
  verificationsPerAddressPer10Min: 600,
  enrolSendsPerAddressPer10Min: 20,
  enrolVerificationsPerAddressPer10Min: 60,
  // A twentieth of what the service sends: with seven of ten proven, 500 people a day behind one carrier's address.
  enrolSendsPerAddressPerDay: 150,
  serviceSendsPerMinute: 600,
  // SMS pumping is paid by the message: this bounds what a day of it costs.
  serviceEnrolSendsPerHour: 600,
  serviceEnrolSendsPerDay: 3_000,
  // PSD2 RTS, article 4(3)(d): five minutes.
  maxAgeMs: 5 * minuteMs,
  // NIST SP 800-63B-4, AAL2: a day at most.
  loginMaxAgeMs: 12 * hourMs,
  verifyTimeoutMs: 8 * secondMs,
  sendTimeoutMs: 10 * secondMs,
  storeTimeoutMs: 250,
  hostTimeoutMs: 10 * secondMs,
}

/** Upper bounds of a stricter set: narrower values are taken, wider ones are a mistake. */
export const profiles = {
  /** Commission Delegated Regulation (EU) 2018/389 (PSD2 RTS), article 4(3). */
  psd2: { attemptsPerChallenge: 5, failuresBeforeLock: 5, maxAgeMs: 5 * minuteMs },
} as const satisfies Record<string, Partial<Limits>>

export type Profile = keyof typeof profiles

/** The limits in force, as a Markdown table for the operator's documentation. */
export function describeLimits(limits: Limits): string {
  const rows = Object.entries(limits).map(([name, value]) => `| \`${name}\` | ${inWords(name, value)} |`)
  return ['| limit | value |', '| --- | --- |', ...rows].join('\n')
}

function inWords(name: string, value: number | false | readonly number[]): string {
  if (value === false) return 'off'
  if (typeof value === 'object') return value.map((one) => inWords(name, one)).join(', ')
  return name.endsWith('Ms') ? duration(value) : String(value)
}

function duration(ms: number): string {
  const units = [
    [hourMs, 'h'],
    [minuteMs, 'min'],
    [secondMs, 's'],
  ] as const
  const [size, unit] = units.find(([length]) => ms >= length && ms % length === 0) ?? [1, 'ms']
  return `${ms / size} ${unit}`
}
