import { phoneCountries } from '../lib/countries.js'
import { loadPhoneData } from '../phone-number.js'

type PhoneData = Awaited<ReturnType<typeof loadPhoneData>>
type Country = ReturnType<PhoneData['getCountries']>[number]

/**
 * The parameters of a request, its national numbers completed by `country-code`. The numbering plans are
 * loaded only for that: they weigh more than the sandbox.
 */
export async function withCompletePhones(fields: URLSearchParams): Promise<URLSearchParams> {
  const phone = fields.get('phone')
  const country = fields.get('country-code')?.toUpperCase() ?? ''
  // Parameters sent twice or of unknown countries are refused later.
  if (phone === null || fields.getAll('phone').length > 1 || !phoneCountries.has(country)) return fields
  const { parsePhoneNumberFromString } = await loadPhoneData()
  function complete(number: string): string {
    if (number.startsWith('+')) return number
    const parsed = parsePhoneNumberFromString(number, { defaultCountry: country as Country, extract: false })
    return parsed?.isPossible() ? parsed.number.slice(1) : number
  }
  const completed = new URLSearchParams(fields)
  completed.set(
    'phone',
    phone
      .split(',')
      .map((number) => complete(number.trim()))
      .join(','),
  )
  return completed
}
