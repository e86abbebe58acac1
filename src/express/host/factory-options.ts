/** Which purpose a factory is for. */
export interface PurposeChoice {
  readonly purpose?: string
}

/** The purpose that was chosen. Throws a TypeError: a misspelt name would leave the choice to the browser. */
export function chosenPurpose(where: string, given: PurposeChoice): string | undefined {
  checkOptions(where, given, ['purpose'])
  const { purpose } = given
  if (purpose !== undefined && (typeof purpose !== 'string' || purpose === '')) {
    throw new TypeError(`${where}: purpose must be a text that is not empty`)
  }
  return purpose
}

/** Throws a TypeError for what is no object of these options. */
export function checkOptions(where: string, given: object, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(`${where}: the options must be an object; it takes ${known.join(', ')}`)
  }
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`${where}: ${unknown} is no option; it takes ${known.join(', ')}`)
}
