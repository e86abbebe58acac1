/** Credits for one call, whatever its length. */
export const callPrice = 2
/** Credits for a premium short URL; others cost nothing. */
export const premiumUrlPrice = 1

// The GSM 03.38 alphabet; one character outside it makes the whole text travel in UCS-2.
const gsmText =
  /^[\n\r !"#$%&'()*+,\-./0-9:;<=>?@A-Z[\\\]^_a-z{|}~¡£¤¥§¿ÄÅÆÇÉÑÖØÜßàäåæèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ€]*$/

/** Credits for one text: one for each 160 characters begun, or 70 outside the GSM alphabet. */
export function textPrice(text: string): number {
  return Math.max(1, Math.ceil(text.length / (gsmText.test(text) ? 160 : 70)))
}
