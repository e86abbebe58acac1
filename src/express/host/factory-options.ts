import { checkOptions, nonEmptyString } from '../../lib/options.js'

/** Which purpose a factory is for. */
export interface PurposeChoice {
  readonly purpose?: string
}

/** The purpose that was chosen. Throws a TypeError: with a misspelt name the browser would choose. */
export function chosenPurpose(where: string, given: PurposeChoice): string | undefined {
  checkOptions(where, given, { purpose: nonEmptyString() })
  return given.purpose
}
