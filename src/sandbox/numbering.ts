import { loadPhoneData } from '../phone-number.js'

type PhoneData = Awaited<ReturnType<typeof loadPhoneData>>
type Country = ReturnType<PhoneData['getCountries']>[number]

/** What the provider knows about numbers and countries. */
export interface Numbering {
  /** Whether this is an upper-case ISO 3166-1 alpha-2 code of a country with phone numbers. */
  isCountry(code: string): boolean
  /** A national number with its country calling code; any other number as it is. */
  complete(phone: string, country: string): string
}

export async function loadNumbering(): Promise<Numbering> {
  const { isSupportedCountry, parsePhoneNumberFromString } = await loadPhoneData()
  return {
    isCountry: (code) => isSupportedCountry(code),
    complete(phone, country) {
      if (phone.startsWith('+')) return phone
      const parsed = parsePhoneNumberFromString(phone, { defaultCountry: country as Country, extract: false })
      return parsed?.isPossible() ? parsed.number.slice(1) : phone
    },
  }
}
