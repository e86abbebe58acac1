import { scalarString } from '../../lib/json.js'
import type { VerifyAnswer } from '../../provider/index.js'
import { masked } from '../../provider/provider-error.js'
import type { Calibration } from './calibration.js'
import { quote } from './quote.js'

/** Options that a calibration finds: `codePattern` for `code.pattern` of `twoFactor`, the rest for `providerCodes`. */
export interface FoundOptions {
  readonly approvedStatuses: readonly string[]
  readonly rejectedCodes: readonly string[]
  /** Source of the regular expression. */
  readonly codePattern: string
  readonly calibratedAt: string
  /** Absent if it is not determined. */
  readonly replacesCodes?: boolean | undefined
}

/** Returns the options as lines of a program. */
export function optionLines({
  approvedStatuses,
  rejectedCodes,
  codePattern,
  calibratedAt,
  replacesCodes,
}: FoundOptions): string {
  const letters = codePattern.includes('[') ? ', letters: true' : ''
  return [
    'For the options of twoFactor():\n',
    '  provider: providerCodes({',
    '    client,',
    `  ${optionLine('approvedStatuses', approvedStatuses)}`,
    `  ${optionLine('rejectedCodes', rejectedCodes)}`,
    `    calibratedAt: '${calibratedAt}',`,
    ...(replacesCodes === undefined ? [] : [`    replacesCodes: ${replacesCodes},`]),
    '  }),',
    `  code: { pattern: /${codePattern}/${letters} },`,
  ].join('\n')
}

/** Returns notes on the options. */
export function notesOn({
  echo,
  rejectedCodes,
  usedOnce,
}: Extract<Calibration, { outcome: 'told_apart' }>): readonly string[] {
  const notes = [rejectedCodes.length > 0 ? otherErrors : anyError, oneCode, echoNotes[echo]]
  if (usedOnce === undefined) return notes
  return [...notes, usedOnce ? 'A code works only once.' : worksTwice]
}

const otherErrors = `Any other error, perhaps of an expired code, then counts as an outage (503). Without rejectedCodes, every
error counts as a wrong code.`

const anyError = 'With an empty rejectedCodes, the default, every error counts as a wrong code.'

const oneCode = 'code.pattern fits this one code: widen it if the codes of the account vary in length.'

const echoNotes = {
  none: 'The answer to the send names no number: a code that went to another number would not be detected.',
  own: 'The answer to the send names the number that it went to.',
  spelled: 'The answer to the send names the number in another spelling, which counts as equal.',
  masked: 'The answer to the send names part of the number: only its end can be compared.',
} as const

const worksTwice = 'A CODE WORKS TWICE at this account. twoFactor() refuses the second use.'

/** Masks request data in a response: a service may quote the code, the number or the key. */
export function maskAnswer(answer: VerifyAnswer, form: string): VerifyAnswer {
  const { status, error } = answer
  return { ...answer, status: maskValue(status, form), error: maskValue(error, form) }
}

/** Leaves a number that quotes nothing unchanged: 0 means no error, and "0" reads alike. */
function maskValue(value: unknown, form: string): unknown {
  const text = scalarString(value)
  if (text === undefined) return value
  const safe = masked(text, form)
  return safe === text ? value : safe
}

/** Returns a line to paste into the options. */
export function optionLine(name: string, texts: readonly string[]): string {
  return `  ${name}: [${texts.map(quote).join(', ')}],`
}
