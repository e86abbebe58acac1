import type { CountryCode } from 'libphonenumber-js/mobile'
import { memoize } from './lib/memoize.js'
import { plainCharacters, separators } from './lib/typed.js'

declare const checked: unique symbol

/** An E.164 number (`+573001234567`) that was parsed and checked. Only this module makes one. */
export type PhoneNumber = string & { readonly [checked]: 'PhoneNumber' }

/** Why a text is not a number that a code may go to. */
export type PhoneRefusal =
  | 'not-a-number'
  | 'wrong-length'
  | 'country-not-allowed'
  | 'not-a-mobile'
  /** It is not one of `defaultCountry`, and would be one of another country on the list. */
  | 'other-country'

export interface PhoneRules {
  /** ISO 3166 codes a code may go to, or `'any'`. */
  readonly countries: readonly string[] | 'any'
  /** ISO 3166 code used for a number typed without its country code. */
  readonly defaultCountry?: string | undefined
  /** Refuse what can only be a fixed line: for a number that nobody has proven yet. */
  readonly mobileOnly?: boolean
}

export type PhoneParse =
  | { readonly ok: true; readonly phone: PhoneNumber; readonly country: string }
  | { readonly ok: false; readonly refusal: PhoneRefusal }

/** The phone data weighs more than everything else here, so it loads in the background. */
let phoneData: Promise<typeof import('libphonenumber-js/mobile')> | undefined

/** The numbering plans. They begin to load when routes are made, so that no request waits for them. */
export function loadPhoneData(): Promise<typeof import('libphonenumber-js/mobile')> {
  phoneData ??= import('libphonenumber-js/mobile').catch((failure: unknown) => {
    // Else every number would be refused until a restart, for one file that could not be opened.
    phoneData = undefined
    throw failure
  })
  return phoneData
}

// What people write inside a number. Extensions and commas are refused: `phone` takes comma lists
// in other operations of the provider, and one canonical number must go out.
const spelling = /^[+\d\s()/]{4,40}$/

/**
 * Reads one number in any usual spelling and checks it against the allow-list.
 *
 * @example
 * await parsePhoneNumber('0057 300 123 4567', { countries: ['CO'] })
 * // { ok: true, phone: '+573001234567', country: 'CO' }
 */
export async function parsePhoneNumber(text: string, rules: PhoneRules): Promise<PhoneParse> {
  const parsed = await parseIn(text, rules)
  if (parsed.ok || !rules.mobileOnly) return parsed
  const other = await otherCountryOf(text, rules)
  return other === undefined ? parsed : { ok: false, refusal: 'other-country' }
}

/**
 * The first other country on the list in which these digits are a mobile number; undefined for those that name their
 * country themselves. Somebody has to be asked: in the wrong country a code goes to a stranger.
 */
export async function otherCountryOf(
  text: string,
  { countries, defaultCountry }: PhoneRules,
): Promise<string | undefined> {
  if (countries === 'any' || defaultCountry === undefined) return undefined
  for (const country of countries) {
    if (country === defaultCountry) continue
    const parsed = await parseIn(text, { countries: [country], defaultCountry: country, mobileOnly: true })
    if (parsed.ok) return country
  }
  return undefined
}

async function parseIn(text: string, rules: PhoneRules): Promise<PhoneParse> {
  const spelled = plainCharacters(text).trim().replace(/^tel:/i, '').replaceAll(separators, ' ').trim()
  if (!spelling.test(spelled)) return { ok: false, refusal: 'not-a-number' }
  const reading = await readingOf(spelled, rules.defaultCountry as CountryCode | undefined)
  if (reading === undefined) return { ok: false, refusal: 'not-a-number' }
  const { phone, country, isPossible, isMobile } = reading
  if (!isPossible) return { ok: false, refusal: 'wrong-length' }
  if (country === undefined) return { ok: false, refusal: 'country-not-allowed' }
  if (rules.countries !== 'any' && !rules.countries.includes(country)) {
    return { ok: false, refusal: 'country-not-allowed' }
  }
  if (rules.mobileOnly && !isMobile) return { ok: false, refusal: 'not-a-mobile' }
  return { ok: true, phone, country }
}

async function readingOf(
  spelled: string,
  defaultCountry: CountryCode | undefined,
): Promise<Reading | undefined> {
  const international = withoutRetiredPrefix(spelled.replace(/^\(?(?:00|\+)/, '+'), defaultCountry)
  if (defaultCountry === undefined) {
    // Else a number would be remembered as one that cannot be read.
    await loadPhoneData()
    return readOnce(international)
  }
  const reading = await read(international, { defaultCountry })
  if (!/^\(?00/.test(spelled)) return reading
  return eitherOf(reading, await read(spelled, { defaultCountry }), defaultCountry)
}

/**
 * Most people write 00 for the +, also where something else is dialled: what follows is `international`. In some
 * countries 00 is only the beginning of what is dialled, such as 001 in Singapore: `dialled` is what follows that.
 */
function eitherOf(
  international: Reading | undefined,
  dialled: Reading | undefined,
  home: CountryCode,
): Reading | undefined {
  const isEither = international?.isMobile && dialled?.isMobile && international.phone !== dialled.phone
  // 001 65… typed in Singapore would be somebody in Alabama. Of two foreign countries nobody can tell which is meant.
  if (isEither) return [international, dialled].find(({ country }) => country === home)
  // By the plans of Colombia 0057 300… leads to Russia by a carrier, where nobody has that number.
  return dialled?.isMobile || (dialled?.isPossible && !international?.isPossible) ? dialled : international
}

// Numbers on file recur with every code. A visitor's choice of country is not cached.
const readOnce = memoize((spelled) => read(spelled, {}))

/**
 * Mexico dialled mobiles as +52 1, at home as 044, 045 or 1, until 2019; contact lists still hold them, and the plans
 * no longer know them.
 */
function withoutRetiredPrefix(international: string, country: string | undefined): string {
  const prefix = country === 'MX' ? /^(?:\+521|04[45]|1)(\d{10})$/ : /^\+521(\d{10})$/
  const mexican = prefix.exec(international.replaceAll(/[^+\d]/g, ''))
  return mexican === null ? international : `+52${mexican[1]}`
}

/** A number by the numbering plans. */
interface Reading {
  readonly phone: PhoneNumber
  readonly country: string | undefined
  readonly isPossible: boolean
  readonly isMobile: boolean
}

/** What the numbering plans make of a spelling; undefined when it is no number. */
async function read(
  spelled: string,
  country: { readonly defaultCountry?: CountryCode },
): Promise<Reading | undefined> {
  const { parsePhoneNumberFromString } = await loadPhoneData()
  const parsed = parsePhoneNumberFromString(spelled, { extract: false, ...country })
  return (
    parsed && {
      phone: parsed.number as string as PhoneNumber,
      country: parsed.country,
      isPossible: parsed.isPossible(),
      // The plans loaded hold only mobile ranges: valid means mobile.
      isMobile: parsed.isValid(),
    }
  )
}

/**
 * The number as people write it, such as `300 1234567` or `+57 300 1234567`.
 *
 * @example
 * await formatPhoneNumber('+573001234567', 'national') // '300 1234567'
 * await formatPhoneNumber('3001234567', 'international', 'CO') // '+57 300 1234567'
 */
export async function formatPhoneNumber(
  phone: string,
  style: 'national' | 'international',
  defaultCountry?: string,
): Promise<string> {
  const parsed = await parsePhoneNumber(phone, { countries: 'any', defaultCountry })
  if (!parsed.ok) return phone
  const { parsePhoneNumberFromString } = await loadPhoneData()
  const number = parsePhoneNumberFromString(parsed.phone)
  return (style === 'national' ? number?.formatNational() : number?.formatInternational()) ?? phone
}

/** The calling code of each of these countries, such as `57`. */
export async function callingCodes(countries: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const { getCountryCallingCode } = await loadPhoneData()
  return Object.fromEntries(countries.map((code) => [code, getCountryCallingCode(code as CountryCode)]))
}

/** Six bullets and the last two digits: fixed width, so that the length of the number stays unsaid. */
export function maskPhoneNumber(phone: string): string {
  return `••••••${phone.slice(-2)}`
}

const assigned = `
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT
BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH
ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT
HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS
LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI
NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG
SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG
UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`

/** Territories that ISO 3166-1 lists and no numbering plan covers. */
const withoutNumbers = new Set(['AQ', 'BV', 'GS', 'HM', 'PN', 'TF', 'UM'])
/** Numbering plans whose code ISO 3166-1 does not assign: Ascension, Tristan da Cunha, Kosovo. */
const unassigned = ['AC', 'TA', 'XK']

/** The officially assigned two-letter codes of ISO 3166-1. */
export const countryCodes: ReadonlySet<string> = new Set(assigned.trim().split(/\s/))

/** The countries that have phone numbers. A table, because the numbering plans load in the background. */
export const phoneCountries: ReadonlySet<string> = new Set(
  [...countryCodes, ...unassigned].filter((code) => !withoutNumbers.has(code)),
)
