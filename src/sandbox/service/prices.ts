/** Credits for one call, whatever its length. */
export const callPrice = 2
/** Credits for a premium short URL; others are free. */
export const premiumUrlPrice = 1

// The GSM 03.38 alphabet; a single character outside it makes the whole SMS use UCS-2.
const gsmAlphabet =
  /^[\n\r !"#$%&'()*+,\-./0-9:;<=>?@A-Z[\\\]^_a-z{|}~¡£¤¥§¿ÄÅÆÇÉÑÖØÜßàäåæèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ€]*$/

/** Credits for one SMS: one per started 160 characters, or 70 outside the GSM alphabet. */
export function textPrice(text: string): number {
  return Math.max(1, Math.ceil(text.length / (gsmAlphabet.test(text) ? 160 : 70)))
}
