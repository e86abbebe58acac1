const phoneNumber = /^\+?\d{7,15}$/

/** The numbers of a `phone` parameter; undefined when one of them cannot be a phone number. */
export function readPhones(phone: string): readonly [string, ...string[]] | undefined {
  const [first = '', ...others] = phone.split(',').map((text) => text.trim())
  return [first, ...others].every((text) => phoneNumber.test(text)) ? [first, ...others] : undefined
}

/** The digits of a number: two spellings with the same digits are the same number. */
export function digitsOf(phone: string): string {
  return phone.replace(/\D/g, '')
}
