import type { CountryCode } from 'libphonenumber-js/mobile'
import { memoize } from './lib/memoize.js'
import { plainCharacters, separators } from './lib/typed.js'

declare const checked: unique symbol

/** A parsed and checked E.164 number (`+573001234567`). Only this module creates it. */
export type PhoneNumber = string & { readonly [checked]: 'PhoneNumber' }

/** Numbers that an account may have on file. More than any user has, because each is another way to sign in. */
export const maxNumbersOnFile = 5

/** Why a text is not a number to which codes can be sent. */
export type PhoneRefusal =
  | 'not-a-number'
  | 'wrong-length'
  /** The calling code is allowed, and no range of mobile numbers contains the number. */
  | 'not-assigned'
  | 'country-not-allowed'
  | 'not-a-mobile'
  /** The number does not fit `defaultCountry`, but would fit another listed country. */
  | 'other-country'

export interface PhoneRules {
  /** ISO 3166 codes of the allowed countries, or `'any'`. */
  readonly countries: readonly string[] | 'any'
  /** ISO 3166 code for a number without a country code. */
  readonly defaultCountry?: string | undefined
  /** If true, refuses numbers that can only be landlines. Used for unverified numbers. */
  readonly mobileOnly?: boolean
}

export type PhoneParse =
  | { readonly ok: true; readonly phone: PhoneNumber; readonly country: string }
  | {
      readonly ok: false
      readonly refusal: PhoneRefusal
      /** The country that is not allowed, if the number belongs to one. */
      readonly country?: string
    }

/** The phone data is larger than everything else, so it loads in the background. */
let phoneData: Promise<typeof import('libphonenumber-js/mobile')> | undefined

/** Loads the numbering plans. Creating routes starts the load, so that no request waits for it. */
export function loadPhoneData(): Promise<typeof import('libphonenumber-js/mobile')> {
  phoneData ??= import('libphonenumber-js/mobile').catch((failure: unknown) => {
    // After a failed load, the next call loads again. Otherwise one unreadable file would refuse every number until a
    // restart.
    phoneData = undefined
    throw failure
  })
  return phoneData
}

// Characters of a written number. Extensions and commas are refused: other operations of the provider read `phone` as a
// list, and exactly one number must be sent.
const spelling = /^[+\d\s()/]{4,40}$/

/**
 * Reads one number in any usual spelling and checks it against the allowed countries.
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
 * Reads a number on file. It has no default country, because a second country would then lock everyone out: a national
 * number needs its own `country`. Digits without a plus, as some user tables store them, are international if they are
 * valid in a listed country and no listed country reads them as a national number. Pass `'any'` if your option
 * `countries` is `'dangerously-any'`.
 *
 * @example
 * await parseNumberOnFile({ phone: '300 123 4567', country: 'CO' }, ['CO', 'MX'])
 * // { ok: true, phone: '+573001234567', country: 'CO' }
 */
export async function parseNumberOnFile(
  { phone, country }: { readonly phone: string; readonly country?: string | undefined },
  countries: readonly string[] | 'any',
): Promise<PhoneParse> {
  const parsed = await parseIn(phone, { countries, defaultCountry: country })
  const digits = plainCharacters(phone)
    .replaceAll(separators, '')
    .replaceAll(/[\s()/]/g, '')
  if (parsed.ok || country !== undefined || countries === 'any' || !/^[1-9]\d+$/.test(digits)) return parsed
  const international = await parseIn(`+${digits}`, { countries, mobileOnly: true })
  if (!international.ok) return parsed
  for (const one of countries) {
    const national = await parseIn(digits, { countries: [one], defaultCountry: one, mobileOnly: true })
    if (national.ok && national.phone !== international.phone) return parsed
  }
  return international
}

/** Returns a number on file in E.164, also of a country that is no longer listed; undefined for an unreadable one. */
export async function readNumberOnFile(
  number: { readonly phone: string; readonly country?: string | undefined },
  countries: readonly string[] | 'any',
): Promise<PhoneNumber | undefined> {
  const listed = await parseNumberOnFile(number, countries)
  const parsed = listed.ok ? listed : await parseNumberOnFile(number, 'any')
  return parsed.ok ? parsed.phone : undefined
}

/**
 * Returns the first other listed country in which these digits are a mobile number. Returns undefined for digits that
 * contain a country code. The user must choose, because a code for the wrong country reaches another person.
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
  if (country === undefined) return { ok: false, refusal: await refusalOfUnassigned(reading, rules) }
  if (rules.countries !== 'any' && !rules.countries.includes(country)) {
    return { ok: false, refusal: 'country-not-allowed', country }
  }
  if (rules.mobileOnly && !isMobile) return { ok: false, refusal: 'not-a-mobile' }
  return { ok: true, phone, country }
}

/**
 * Returns the refusal of a number that belongs to no country of its calling code, such as +1 555 555 0100. If an allowed
 * country has this calling code, the user must check the number.
 */
async function refusalOfUnassigned(
  { callingCode }: Reading,
  { countries }: PhoneRules,
): Promise<PhoneRefusal> {
  if (countries === 'any') return 'not-assigned'
  const allowed = Object.values(await callingCodes(countries))
  return allowed.includes(callingCode) ? 'not-assigned' : 'country-not-allowed'
}

async function readingOf(
  spelled: string,
  defaultCountry: CountryCode | undefined,
): Promise<Reading | undefined> {
  const international = withoutRetiredPrefix(spelled.replace(/^\(?(?:00|\+)/, '+'), defaultCountry)
  if (defaultCountry === undefined) {
    // Without the plans, the number would be remembered as unreadable.
    await loadPhoneData()
    return readOnce(international)
  }
  const reading = await read(international, { defaultCountry })
  if (!/^\(?00/.test(spelled)) return reading
  return eitherOf(reading, await read(spelled, { defaultCountry }), defaultCountry)
}

/**
 * Chooses between two readings of a number that starts with 00. Most people write 00 for the plus (`international`). In
 * some countries 00 is only the start of the prefix, such as 001 in Singapore (`dialled`).
 */
function eitherOf(
  international: Reading | undefined,
  dialled: Reading | undefined,
  home: CountryCode,
): Reading | undefined {
  const isEither = international?.isMobile && dialled?.isMobile && international.phone !== dialled.phone
  // 001 65… typed in Singapore would otherwise be a number in Alabama. Between two foreign countries there is no way to
  // know.
  if (isEither) return [international, dialled].find(({ country }) => country === home)
  // By the plans of Colombia, 0057 300… leads to Russia through a carrier, and no such number exists there.
  return dialled?.isMobile || (dialled?.isPossible && !international?.isPossible) ? dialled : international
}

// Numbers on file recur with every code. A visitor's choice of country is not cached.
const readOnce = memoize((spelled) => read(spelled, {}))

/**
 * Removes the prefix of Mexican mobile numbers that was retired in 2019: +52 1, and 044, 045 or 1 within the country.
 * Contact lists still contain it, and the plans no longer do.
 */
function withoutRetiredPrefix(international: string, country: string | undefined): string {
  const prefix = country === 'MX' ? /^(?:\+521|04[45]|1)(\d{10})$/ : /^\+521(\d{10})$/
  const mexican = prefix.exec(international.replaceAll(/[^+\d]/g, ''))
  return mexican === null ? international : `+52${mexican[1]}`
}

/** One reading of a number by the numbering plans. */
interface Reading {
  readonly phone: PhoneNumber
  readonly country: string | undefined
  /** Calling code of the number without a plus, such as `57`. */
  readonly callingCode: string
  readonly isPossible: boolean
  readonly isMobile: boolean
}

/** Reads a spelling by the numbering plans. Returns undefined if it is not a number. */
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
      callingCode: parsed.countryCallingCode,
      isPossible: parsed.isPossible(),
      // The loaded plans contain mobile ranges only, so a valid number is mobile.
      isMobile: parsed.isValid(),
    }
  )
}

/**
 * Formats a number as people write it, such as `300 1234567` or `+57 300 1234567`.
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

/** Returns the calling code of each country, such as `57`. */
export async function callingCodes(countries: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const { getCountryCallingCode } = await loadPhoneData()
  return Object.fromEntries(countries.map((code) => [code, getCountryCallingCode(code as CountryCode)]))
}

/** Returns whether a text is spelled in E.164, such as `+573001234567`. The number need not exist. */
export function isE164(text: string): boolean {
  return /^\+[1-9]\d{6,14}$/.test(text)
}

/** Masks a number as six bullets and its last two digits. The fixed width hides the length of the number. */
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

/** Countries with phone numbers. A constant, because the numbering plans load in the background. */
export const phoneCountries: ReadonlySet<string> = new Set(
  [...countryCodes, ...unassigned].filter((code) => !withoutNumbers.has(code)),
)
