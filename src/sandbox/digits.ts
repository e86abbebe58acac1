/** The digits of a number: two spellings with the same digits are the same number. */
export function digitsOf(phone: string): string {
  return phone.replace(/\D/g, '')
}
