/** RFC 4648, 6: what authenticator apps take a secret in. */
export const base32Letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The bytes in one of the alphabets of 32 characters; their number must be a multiple of five. */
export function toBase32(bytes: Uint8Array, alphabet: string): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.replaceAll(/.{5}/g, (five) => alphabet.charAt(Number.parseInt(five, 2)))
}

/** The bytes of a text of {@link base32Letters}, as people write it down; undefined for any other. */
export function fromBase32(text: string): Uint8Array | undefined {
  const letters = text.replaceAll(/[\s-]/g, '').replace(/=+$/, '').toUpperCase()
  if (!/^[A-Z2-7]+$/.test(letters)) return undefined
  const bits = letters.replaceAll(/./g, (letter) =>
    base32Letters.indexOf(letter).toString(2).padStart(5, '0'),
  )
  const bytes = bits.match(/.{8}/g) ?? []
  return Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 2))
}
