const onNetwork = /^\+?\d{7,15}$/

/** The numbers of a `phone` parameter, or nothing when one of them cannot be a number. */
export function readPhones(phone: string): readonly [string, ...string[]] | undefined {
  const [first = '', ...others] = phone.split(',').map((text) => text.trim())
  return [first, ...others].every((text) => onNetwork.test(text)) ? [first, ...others] : undefined
}

/** What makes two spellings the same number. */
export function digitsOf(phone: string): string {
  return phone.replace(/\D/g, '')
}
