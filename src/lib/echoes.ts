import { plainCharacters } from './typed.js'

/** Characters that a service may put between those of a value that it repeats: `482-913`, `4 - 8 - 2`. */
export const between = '[^\\p{L}\\p{N}]{0,4}'

const fewestCharacters = 4

/** Returns patterns that find these values in any spelling, the longest first. They are for text in plain characters. */
export function spellingsOf(values: readonly string[]): readonly RegExp[] {
  return values
    .map((value) => plainCharacters(value).replaceAll(/[^\p{L}\p{N}]/gu, ''))
    .filter((characters) => characters.length >= fewestCharacters)
    .sort((one, other) => other.length - one.length)
    .map((characters) => new RegExp([...characters].join(between), 'giu'))
}

/** Returns whether a text repeats one of these values, in any spelling. */
export function repeatsOneOf(text: string, values: readonly string[]): boolean {
  const plain = plainCharacters(text)
  return spellingsOf(values).some((spelling) => plain.search(spelling) >= 0)
}

/** Returns the end of a number, which every spelling of it has. */
export const endOfNumber = (phone: string): string => phone.replaceAll(/\D/g, '').slice(-8)
