import type { RequesterContext } from '../../challenge/commands.js'
import { present } from '../../lib/json.js'
import {
  callingCodes,
  formatPhoneNumber,
  maskPhoneNumber,
  otherCountryOf,
  parsePhoneNumber,
} from '../../phone-number.js'
import type { Problem } from '../http/problems.js'
import { type Body, oneString } from '../http/request-body.js'
import type { PageView } from './page-view.js'

/** A number that a visitor wants to prove. */
export interface Typed {
  readonly phone: string
  readonly country?: string | undefined
  /** As people write it. */
  readonly full: string
}

/** What came with the form: without a field, what the session remembers is shown. */
export function typedIn(fields: Body): Partial<Omit<Typed, 'full'>> {
  return present({ phone: oneString(fields, 'phone'), country: oneString(fields, 'country')?.toUpperCase() })
}

/** What pages show of numbers, where codes go to these countries. */
export function createNumbers(countries: readonly string[]) {
  return {
    async typedBy({ phone = '', country }: RequesterContext): Promise<Typed> {
      // The same digits may be a number in each of several countries.
      const style = countries.length > 1 ? 'international' : 'national'
      return { phone, country, full: await formatPhoneNumber(phone, style, country) }
    },

    /** The number on file. */
    async maskedOf({ phone, lane }: RequesterContext): Promise<string | undefined> {
      if (phone === undefined || lane === 'enrol') return undefined
      const parsed = await parsePhoneNumber(phone, { countries: 'any' })
      return parsed.ok ? maskPhoneNumber(parsed.phone) : undefined
    },

    /** What the choice of a country needs. `other`: that which a number fits better than the one that was chosen. */
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
