import { plainCharacters } from './typed.js'

/** Characters that a service may put between those of a value that it repeats: `482-913`, `4 - 8 - 2`. */
export const between = '[^\\p{L}\\p{N}]{0,4}'

const fewestCharacters = 4

/** Returns letters and digits only. Both conversions, because some letters have several forms in either case. */
const bare = (text: string): string =>
  text
    .toLowerCase()
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Returns a search for strings of at least four characters. A long answer is not read anew for each of many strings. */
function searchIn(content: string): (value: string) => boolean {
  const starts = new Set<string>()
  for (let at = 0; at + fewestCharacters <= content.length; at += 1) {
    starts.add(content.slice(at, at + fewestCharacters))
  }
  return (value) => starts.has(value.slice(0, fewestCharacters)) && content.includes(value)
}

/**
 * Returns patterns for the values that a text in plain characters repeats, in any spelling, the longest first. A pattern
 * is slow, so it is made only for a value whose letters and digits are in the text.
 */
function spellingsIn(text: string, values: readonly string[]): readonly RegExp[] {
  const isRepeated = searchIn(bare(text))
  const distinct = new Set(values.map((value) => plainCharacters(value).replaceAll(/[^\p{L}\p{N}]/gu, '')))
  return [...distinct]
    .filter((characters) => characters.length >= fewestCharacters && isRepeated(bare(characters)))
    .sort((one, other) => other.length - one.length)
    .map((characters) => new RegExp([...characters].join(between), 'giu'))
}

/** Replaces these values in a text in plain characters, in any spelling. */
export function maskEchoes(text: string, values: readonly string[], mask: string): string {
  return spellingsIn(text, values).reduce((safe, spelling) => safe.replaceAll(spelling, mask), text)
}

/** Returns whether a text repeats one of these values, in any spelling. */
export function repeatsOneOf(text: string, values: readonly string[]): boolean {
  const plain = plainCharacters(text)
  return spellingsIn(plain, values).some((spelling) => plain.search(spelling) >= 0)
}

/** Returns the end of a number, which every spelling of it has. */
export const endOfNumber = (phone: string): string => phone.replaceAll(/\D/g, '').slice(-8)
