import type { RequesterContext } from '../../challenge/commands.js'
import { present } from '../../lib/json.js'
import {
  callingCodes,
  formatPhoneNumber,
  maskPhoneNumber,
  otherCountryOf,
  readNumberOnFile,
} from '../../phone-number.js'
import type { Problem } from '../http/problems.js'
import { type Body, findField } from '../http/request-body.js'
import type { PageView } from './page-view.js'

/** A number that a visitor wants to verify. */
export interface Typed {
  readonly phone: string
  readonly country?: string | undefined
  /** The number as people write it. */
  readonly full: string
}

/** Returns the number of the form. Without a field, the session's number is shown. */
export function typedIn(fields: Body): Partial<Omit<Typed, 'full'>> {
  return present({ phone: findField(fields, 'phone'), country: findField(fields, 'country')?.toUpperCase() })
}

/** Creates the texts of numbers for the allowed countries. */
export function createNumbers(countries: readonly string[]) {
  return {
    async typedBy({ phone = '', country }: RequesterContext): Promise<Typed> {
      // The digits may be a number in several of the countries.
      const style = countries.length > 1 ? 'international' : 'national'
      return { phone, country, full: await formatPhoneNumber(phone, style, country) }
    },

    /** Returns the masked number on file. */
    async maskedOf({ phone, country, lane }: RequesterContext): Promise<string | undefined> {
      if (phone === undefined || lane === 'enrol') return undefined
      const number = await readNumberOnFile({ phone, country }, countries)
      return number && maskPhoneNumber(number)
    },

    /** Returns the data for choosing a country. `other` is the country that the number fits better. */
    async choice(
      fields: Body,
      problem?: Problem,
    ): Promise<{ readonly codes?: PageView['callingCodes']; readonly other?: string | undefined }> {
      if (countries.length < 2) return {}
      const { phone = '', country: defaultCountry } = typedIn(fields)
      const isOther = problem?.reason === 'other-country'
      return {
        codes: await callingCodes(countries),
        other: isOther ? await otherCountryOf(phone, { countries, defaultCountry }) : undefined,
      }
    },
  }
}
