import { textLength } from '../../lib/text-length.js'

/** Credits for one call, whatever its length. */
export const callPrice = 2
/** Credits for a premium short URL; others are free. */
export const premiumUrlPrice = 1

/** Credits for one SMS: one per started 160 characters, or 70 outside the GSM alphabet. */
export function textPrice(text: string): number {
  const { length, limit } = textLength(text)
  return Math.max(1, Math.ceil(length / limit))
}
