/** The default alphabet of GSM 03.38: seven bits each. */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
    '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** Its extension: an escape and a character, so each counts twice. */
const extension = new Set('^{}\\[~]|€\f')

/** How long a text is as a short message, and how much goes into one part. */
export interface TextLength {
  readonly length: number
  readonly limit: number
  /** Messages that it is billed as: each of several loses room to a header. */
  readonly parts: number
  /** The first character that is not of GSM-7, which makes all of them two bytes wide. */
  readonly foreign?: string
}

/**
 * Counts a text as networks do: in characters of GSM-7 up to 160, else in UTF-16 units up to 70.
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
      // Neither an escape and its character nor a surrogate pair is split (3GPP TS 23.040): both go into the next part.
      parts += 1
      inPart = width
    }
  }
  return { length, limit, parts: length <= limit ? 1 : parts }
}
