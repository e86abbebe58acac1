/** What a number with fixed last digits does, whatever is sent to it. */
export type FixedResult =
  | 'rejected'
  | 'unreachable'
  | 'undelivered'
  | 'unanswered'
  | 'answeredSecond'
  | 'refused'
  | 'knownCode'
  | 'expiredCode'

/** One row of the table: numbers that end in `ending` give `result`. */
export interface FixedNumber {
  readonly ending: string
  readonly result: FixedResult
  readonly meaning: string
}

/**
 * Numbers whose results never change: for a test that needs a failure, and no fault switched on.
 * Six digits long, so that counting up test numbers does not run into them.
 *
 * @example
 * // +57 300 199 9901: the text is rejected on its way
 * `+573001${fixedNumbers[0].ending}`
 */
export const fixedNumbers = [
  {
    ending: '999901',
    result: 'rejected',
    meaning: 'Texts are rejected after two seconds; the credits come back.',
  },
  { ending: '999902', result: 'unreachable', meaning: 'Texts end as unreachable; the credits come back.' },
  { ending: '999903', result: 'undelivered', meaning: 'Texts stay sent and never arrive.' },
  { ending: '999904', result: 'unanswered', meaning: 'Calls are never answered, at no retry.' },
  {
    ending: '999905',
    result: 'answeredSecond',
    meaning: 'Calls are answered at the second attempt, if there is one.',
  },
  { ending: '999906', result: 'refused', meaning: 'Every send is refused.' },
  { ending: '999907', result: 'knownCode', meaning: 'The code is always the start of the alphabet: 012345.' },
  { ending: '999908', result: 'expiredCode', meaning: 'The right code is answered as an expired one.' },
] as const satisfies readonly FixedNumber[]

/** The fixed result of a number, if its last digits have one. */
export function fixedResultOf(phone: string): FixedResult | undefined {
  return fixedNumbers.find(({ ending }) => phone.endsWith(ending))?.result
}
