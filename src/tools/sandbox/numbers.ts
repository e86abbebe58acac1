/** Numbers that end in `ending` have this `result`. */
export interface FixedNumber {
  /** The last six digits. */
  readonly ending: string
  /** Result, as a word. */
  readonly result: FixedResult
  /** Result, as a sentence. */
  readonly meaning: string
}

/**
 * Numbers with a constant result, for tests that need a failure without a fault. The endings have six digits, so that
 * sequential test numbers do not reach them by accident.
 *
 * @example
 * // +57 300 199 9901: the SMS is rejected in transit
 * `+573001${fixedNumbers[0].ending}`
 */
export const fixedNumbers = [
  {
    ending: '999901',
    result: 'rejected',
    meaning: 'Texts are rejected after two seconds, and their credits are refunded.',
  },
  {
    ending: '999902',
    result: 'unreachable',
    meaning: 'Texts are undeliverable (unreachable phone), and their credits are refunded.',
  },
  { ending: '999903', result: 'undelivered', meaning: 'Texts keep the state `sent` and never arrive.' },
  { ending: '999904', result: 'unanswered', meaning: 'Calls are never answered, at any attempt.' },
  {
    ending: '999905',
    result: 'answeredSecond',
    meaning: 'Calls are answered at the second attempt, if they have one.',
  },
  { ending: '999906', result: 'refused', meaning: 'Every send is refused.' },
  {
    ending: '999907',
    result: 'knownCode',
    meaning: 'The code is always 012345, or the first characters of your own alphabet.',
  },
  {
    ending: '999908',
    result: 'expiredCode',
    meaning: 'A correct code gets the response for an expired code.',
  },
] as const

/** The result of every send to a number with these last digits. */
export type FixedResult = (typeof fixedNumbers)[number]['result']

/** Returns the fixed result of a number, if its last digits have one. */
export function fixedResultOf(phone: string): FixedResult | undefined {
  return fixedNumbers.find(({ ending }) => phone.endsWith(ending))?.result
}

/** One number in any spelling, with a length that the provider accepts, because a part of a number equals no number. */
export const wholeNumber = /^\D*(?:\d\D*){7,15}$/

/** Returns the digits of a number: two spellings with equal digits are one number. */
export function digitsOf(phone: string): string {
  return phone.replace(/\D/g, '')
}
