import { scalarString } from '../provider/answers.js'
import type { VerifyAnswer } from '../provider/index.js'
import { masked } from '../provider/masking.js'
import type { Calibration } from './calibration.js'
import { quote } from './quote.js'

/** What a calibration finds: `codePattern` for `code.pattern` of `twoFactor`, the rest for `providerCodes`. */
export interface FoundOptions {
  readonly approvedStatuses: readonly string[]
  readonly rejectedCodes: readonly string[]
  /** Source of the regular expression. */
  readonly codePattern: string
  readonly calibratedAt: string
}

/** What a calibration comes to for whoever ran it. */
export interface Conclusion {
  /** Stable, for programs. */
  readonly outcome: 'told_apart' | 'alike' | 'not_approved' | 'not_rejected' | 'account_refused' | 'outage'
  readonly exitCode: 0 | 1 | 3
  /** To paste. Without them nothing may be pasted. */
  readonly options?: FoundOptions
  readonly notes: readonly string[]
}

export function conclusionOf(
  calibration: Calibration,
  seen: Pick<FoundOptions, 'codePattern' | 'calibratedAt'>,
): Conclusion {
  switch (calibration.outcome) {
    case 'told-apart': {
      const { approvedStatuses, rejectedCodes } = calibration
      const options = { approvedStatuses, rejectedCodes, ...seen }
      return { outcome: 'told_apart', exitCode: 0, options, notes: notesOn(calibration) }
    }
    case 'alike':
      return { outcome: 'alike', exitCode: 3, notes: [alike] }
    case 'not-approved':
      return { outcome: 'not_approved', exitCode: 1, notes: [notApproved] }
    case 'not-rejected':
      return { outcome: 'not_rejected', exitCode: 1, notes: [notRejected] }
    case 'account-refused':
      return { outcome: 'account_refused', exitCode: 1, notes: [accountRefused] }
    case 'outage':
      return { outcome: 'outage', exitCode: 1, notes: [outage] }
  }
}

type ToldApart = Extract<Calibration, { outcome: 'told-apart' }>

/** The options as lines of a program. */
export function optionLines({
  approvedStatuses,
  rejectedCodes,
  codePattern,
  calibratedAt,
}: FoundOptions): string {
  const letters = codePattern.includes('[') ? ', letters: true' : ''
  return [
    'For the options of twoFactor():\n',
    '  provider: providerCodes({',
    '    client,',
    `  ${optionLine('approvedStatuses', approvedStatuses)}`,
    `  ${optionLine('rejectedCodes', rejectedCodes)}`,
    `    calibratedAt: '${calibratedAt}',`,
    '  }),',
    `  code: { pattern: /${codePattern}/${letters} },`,
  ].join('\n')
}

function notesOn({ rejectedCodes, usedOnce }: ToldApart): readonly string[] {
  const notes = [rejectedCodes.length > 0 ? otherErrors : anyError, oneCode]
  if (usedOnce === undefined) return notes
  return [...notes, usedOnce ? 'A code is good for one check.' : worksTwice]
}

const otherErrors = `Any other error, of an expired code perhaps, is then taken for an outage (503). Leave rejectedCodes out
to have every error taken for a wrong code.`

const anyError = 'An empty rejectedCodes, the default, has every error taken for a wrong code.'

const oneCode =
  'code.pattern is that of this one code: widen it when the codes of the account vary in length.'

const worksTwice = 'A CODE WORKS TWICE at this account. twoFactor() refuses the second use itself.'

const alike = `A RIGHT AND A WRONG CODE CANNOT BE TOLD APART: this account answers both alike, so every list of approved
statuses would let anybody in with any code. Do not go live with it. If the code was typed as it arrived,
ask the provider what a wrong code is answered for this app-name.`

const notApproved = `The answer to the code that arrived approves nothing: that takes HTTP 200, a status that is a word or a
number, and no error. Was the code mistyped, or too old, or sent for another app-name? Then run this again.`

const notRejected = `The answer to the wrong code says nothing about the code: that takes HTTP 200 with a status, or an error
under HTTP 400 or 520. As long as it is so, people who mistype their code will be told that the service is
out of order (503). Ask the provider what a wrong code is answered.`

const accountRefused = `The account was refused, not the code: check client, key and the address of this machine on the allow-list of
the account, then run this again.`

const outage = `The provider was out of order or too busy when it was asked: nothing follows from that, about a right code or
a wrong one. Run this again in some minutes. If it stays so for wrong codes alone, the account answers them in
this way, and people who mistype theirs will be told that the service is out of order (503).`

/** The answer without what was sent: a service may quote the code, the number or the key back. */
export function maskAnswer(answer: VerifyAnswer, form: string): VerifyAnswer {
  const { status, error } = answer
  return { ...answer, status: maskValue(status, form), error: maskValue(error, form) }
}

/** A number that quotes nothing stays one: 0 is no error, and "0" reads the same. */
function maskValue(value: unknown, form: string): unknown {
  const text = scalarString(value)
  if (text === undefined) return value
  const safe = masked(text, form)
  return safe === text ? value : safe
}

/** What an answer says that decides, as one line. */
export function describeAnswer(name: string, { httpStatus, status, error }: VerifyAnswer): string {
  const members = Object.entries({ status, error })
    .filter(([, value]) => value !== undefined)
    .map(([member, value]) => `${member} ${describeValue(value)}`)
  return `  ${name.padEnd(13)}HTTP ${httpStatus}  ${members.join('  ') || 'no status, no error'}`
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return quote(value)
  return value === null || typeof value !== 'object' ? String(value) : Array.isArray(value) ? '[…]' : '{…}'
}

/** A line to paste into the options. */
export function optionLine(name: string, texts: readonly string[]): string {
  return `  ${name}: [${texts.map(quote).join(', ')}],`
}
