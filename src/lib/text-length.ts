/** The default alphabet of GSM 03.38: seven bits each. */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
    '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** Its extension: an escape and a character, so each counts as two. */
const extension = new Set('^{}\\[~]|€\f')

/** Length of a text message and the capacity of one part. */
export interface TextLength {
  readonly length: number
  readonly limit: number
  /** Billed messages. In a text of several parts each part loses room to a header. */
  readonly parts: number
  /** First character outside of GSM-7. It makes every character two bytes wide. */
  readonly foreign?: string
}

/**
 * Counts a text as networks do: up to 160 characters of GSM-7, or up to 70 UTF-16 units.
 *
 * @example
 * textLength('100 €') // { length: 6, limit: 160, parts: 1 }
 */
export function textLength(text: string): TextLength {
  const foreign = [...text].find((character) => !basic.has(character) && !extension.has(character))
  return foreign === undefined
    ? counted(text, (character) => (extension.has(character) ? 2 : 1), 160, 153)
    : { ...counted(text, (character) => character.length, 70, 67), foreign }
}

function counted(
  text: string,
  widthOf: (character: string) => number,
  limit: number,
  limitOfSeveral: number,
): TextLength {
  let length = 0
  let parts = 1
  let inPart = 0
  for (const character of text) {
    const width = widthOf(character)
    length += width
    inPart += width
    if (inPart > limitOfSeveral) {
      // An escape with its character, and a surrogate pair, stay in one part (3GPP TS 23.040).
      parts += 1
      inPart = width
    }
  }
  return { length, limit, parts: length <= limit ? 1 : parts }
}
