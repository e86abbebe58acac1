import { getCountries } from 'libphonenumber-js/mobile'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  callingCodes,
  countryCodes,
  formatPhoneNumber,
  maskPhoneNumber,
  otherCountryOf,
  type PhoneNumber,
  parsePhoneNumber,
  phoneCountries,
} from '../src/phone-number.js'

describe('reading a number', () => {
  it.each([
    ['+573001234567'],
    ['300 123 4567', 'CO'],
    ['(300) 123-4567', 'CO'],
    ['+57 300 123 4567'],
    ['0057 300 123 4567'],
    ['0057 300 123 4567', 'CO'],
    ['(0057) 300 123 4567', 'MX'],
    ['  +57-300-1234567 '],
    ['+57\u00a0300\u00a0123\u00a04567'],
    ['＋５７３００１２３４５６７'],
    ['+57 300–123–4567'],
    ['+57 300‑123‑4567'],
    ['“300·123·4567”', 'CO'],
    ['\u202a+57 300 123 4567\u202c'],
    ['+57\t300\r\n123 4567\n'],
    ['tel:+573001234567'],
    [' TEL: +57-300-123-4567'],
    ['+٥٧٣٠٠١٢٣٤٥٦٧'],
    ['۳۰۰ ۱۲۳ ۴۵۶۷', 'CO'],
    ['0011 57 300 123 4567', 'AU'],
    ['001 57 300 123 4567', 'HK'],
    ['011 57 300 123 4567', 'US'],
    ['0057 300 123 4567', 'AU'],
  ])('finds the same one in %j (country %s)', async (text, defaultCountry?: string) => {
    const rules = { countries: ['CO'], ...(defaultCountry === undefined ? {} : { defaultCountry }) }
    expect(await parsePhoneNumber(text, rules)).toEqual({ ok: true, phone: '+573001234567', country: 'CO' })
  })

  it.each([
    [''],
    ['+'],
    ['hello'],
    ['300 123 4567'],
    ['+573001234567,+573001234568'],
    ['+573001234567;ext=5'],
    ['+57 300 123 4567 ext 5'],
    ['tel:+573001234567;ext=5'],
    ['+57 300 tel: 123 4567'],
    ['++573001234567'],
    ['00+52 1 55 1234 5678'],
    ['+57 300 123 4567 / +57 301 123 4567'],
    ['+573001234567\u0000'],
    ['+573001234567\n+573001234568'],
    ['1'.repeat(41)],
  ])('finds none in %j', async (text) => {
    expect(await parsePhoneNumber(text, { countries: 'any' })).toEqual({ ok: false, refusal: 'not-a-number' })
  })

  it.each([
    [['US'], 'not-assigned'],
    [['CO', 'CA'], 'not-assigned'],
    ['any', 'not-assigned'],
    [['CO'], 'country-not-allowed'],
  ] as const)(
    'refuses an area code that does not exist, where %j is allowed, as %s',
    async (countries, refusal) => {
      const rules = { countries, mobileOnly: true }
      expect(await parsePhoneNumber('+1 555 555 0100', rules)).toEqual({ ok: false, refusal })
    },
  )

  it.each([['+57300123456789012'], ['+57 300'], ['+52 1 55 1234 56789'], ['044 55 1234 56789']])(
    'reports that %j has too few or too many digits',
    async (text) => {
      const rules = { countries: ['CO', 'MX'], ...(text.startsWith('+') ? {} : { defaultCountry: 'MX' }) }
      expect(await parsePhoneNumber(text, rules)).toEqual({
        ok: false,
        refusal: 'wrong-length',
      })
    },
  )

  it.each([
    ['+52 1 55 1234 5678'],
    ['0052 1 5512345678'],
    ['044 55 1234 5678', 'MX'],
    ['045 55 1234 5678', 'MX'],
    ['1 55 1234 5678', 'MX'],
  ])('understands the retired Mexican spelling %j', async (text, defaultCountry?: string) => {
    const rules = { countries: ['MX'], mobileOnly: true, ...(defaultCountry && { defaultCountry }) }
    const parsed = await parsePhoneNumber(text, rules)
    expect(parsed).toEqual({ ok: true, phone: '+525512345678', country: 'MX' })
  })

  it.each([
    ['1 415 555 0123', 'US'],
    ['+1 415 555 0123', 'MX'],
    ['+1 415 555 0123', 'CO'],
  ])('takes no number of another country for such a spelling: %j (country %s)', async (text, country) => {
    expect(await parsePhoneNumber(text, { countries: 'any', defaultCountry: country })).toEqual({
      ok: true,
      phone: '+14155550123',
      country: 'US',
    })
  })

  it('prefers the dialling prefix of the country if the digits fit another number, too', async () => {
    const typed = '001 65 9223 4567'
    const read = (defaultCountry: string) => parsePhoneNumber(typed, { countries: 'any', defaultCountry })
    expect(await read('SG')).toMatchObject({ phone: '+6592234567', country: 'SG' })
    // In Alabama, and no text for Singapore may go there.
    expect(await read('CO')).toMatchObject({ phone: '+16592234567', country: 'US' })
    // Nor to +1 658 123 4567, which nobody has.
    const spelled = await parsePhoneNumber('001 65 8123 4567', { countries: 'any', defaultCountry: 'SG' })
    expect(spelled).toMatchObject({ phone: '+6581234567', country: 'SG' })
    const rules = { countries: ['US'], defaultCountry: 'SG' }
    expect(await parsePhoneNumber(typed, rules)).toMatchObject({ refusal: 'country-not-allowed' })
    // Of two foreign countries nobody can tell which is meant: 00 and India, or 009 of a carrier and the USA.
    const either = await parsePhoneNumber('0091 812 345 6789', { countries: 'any', defaultCountry: 'CO' })
    expect(either).toEqual({ ok: false, refusal: 'not-a-number' })
    // A fixed line is one by both readings.
    const fixedLine = await parsePhoneNumber('0057 601 234 5679', { countries: ['CO'], defaultCountry: 'CO' })
    expect(fixedLine).toMatchObject({ phone: '+576012345679' })
  })

  it('is shown to its user in the usual form', async () => {
    expect(await formatPhoneNumber('+573001234567', 'national')).toBe('300 1234567')
    expect(await formatPhoneNumber('3001234567', 'national', 'CO')).toBe('300 1234567')
    expect(await formatPhoneNumber('(310) 765-4321', 'international', 'US')).toBe('+1 310 765 4321')
    expect(await formatPhoneNumber('not a number', 'national')).toBe('not a number')
  })

  it.each([
    ['212 555 0123', 'CO', 'US'],
    ['11 91234 5678', 'CO', 'BR'],
    ['573001234567', 'US', 'CO'],
    ['412 555 0123', 'BR', 'US'],
  ])(
    'of an unverified user that fits another listed country is refused: %j in %s, of %s',
    async (typed, defaultCountry, other) => {
      const rules = { countries: ['CO', 'US', 'BR'], mobileOnly: true, defaultCountry }
      expect(await parsePhoneNumber(typed, rules)).toEqual({ ok: false, refusal: 'other-country' })
      expect(await otherCountryOf(typed, rules)).toBe(other)
      const alone = { ...rules, countries: [defaultCountry] }
      expect(await parsePhoneNumber(typed, alone)).not.toMatchObject({ refusal: 'other-country' })
    },
  )

  it.each([
    ['(310) 765-4321', 'CO', '+573107654321'],
    ['(310) 765-4321', 'US', '+13107654321'],
    ['+1 212 555 0123', 'CO', '+12125550123'],
  ])(
    'that is one of the chosen country, or names its own, is read: %j in %s',
    async (typed, defaultCountry, phone) => {
      const rules = { countries: ['CO', 'US'], mobileOnly: true, defaultCountry }
      expect(await parsePhoneNumber(typed, rules)).toMatchObject({ ok: true, phone })
    },
  )

  it('refuses an unlisted country and an ambiguous one', async () => {
    const refusal = { ok: false, refusal: 'country-not-allowed' }
    expect(await parsePhoneNumber('+14155550123', { countries: ['CO'] })).toEqual({
      ...refusal,
      country: 'US',
    })
    const unknown = { ok: false, refusal: 'not-assigned' }
    expect(await parsePhoneNumber('+441234567890', { countries: ['GB'] })).toEqual(unknown)
    expect(await parsePhoneNumber('+441234567890', { countries: 'any' })).toEqual(unknown)
    expect(await parsePhoneNumber('+14155550123', { countries: 'any' })).toMatchObject({
      ok: true,
      country: 'US',
    })
    expect(await parsePhoneNumber('+14165550123', { countries: ['US'] })).toEqual({
      ...refusal,
      country: 'CA',
    })
  })

  it('reads each as it stands, however many were read before', async () => {
    const phones = Array.from({ length: 2_500 }, (_, index) => `+57300${1_000_000 + index}`)
    for (const phone of [...phones, ...phones.slice(-10)]) {
      expect(await parsePhoneNumber(phone, { countries: ['CO'] })).toEqual({ ok: true, phone, country: 'CO' })
    }
  })

  it('checks a known number by the rules of each question', async () => {
    const fixedLine = '+576012345679'
    const allowed = { ok: true, phone: fixedLine, country: 'CO' }
    expect(await parsePhoneNumber(fixedLine, { countries: ['CO'] })).toEqual(allowed)
    expect(await parsePhoneNumber(fixedLine, { countries: ['MX'] })).toMatchObject({ ok: false })
    expect(await parsePhoneNumber(fixedLine, { countries: 'any', mobileOnly: true })).toMatchObject({
      refusal: 'not-a-mobile',
    })
    expect(await parsePhoneNumber(fixedLine, { countries: ['CO'] })).toEqual(allowed)
  })

  it('reads equal digits as another number in another country', async () => {
    const read = (country: object) => parsePhoneNumber('55 1234 5678', { countries: 'any', ...country })
    expect(await read({ defaultCountry: 'MX' })).toMatchObject({ phone: '+525512345678' })
    expect(await read({ defaultCountry: 'US' })).toMatchObject({ phone: '+15512345678' })
    expect(await read({})).toMatchObject({ ok: false })
  })
})

it('a masked number shows two digits and hides its length', () => {
  expect(maskPhoneNumber('+573001234567' as PhoneNumber)).toBe('••••••67')
  expect(maskPhoneNumber('+5212345678912345' as PhoneNumber)).toBe('••••••45')
})

it('a number is read where the numbering plans could not be loaded at first, and no process ends', async () => {
  vi.resetModules()
  onTestFinished(() => void vi.doUnmock('libphonenumber-js/mobile'))
  vi.doMock('libphonenumber-js/mobile', () => {
    throw new Error('EMFILE')
  })
  const { twoFactor } = await import('../src/two-factor.js')
  twoFactor({
    provider: { sendCode: async () => ({ result: 'sent' }), checkCode: async () => 'rejected' },
    appName: 'Acme',
    secret: 'a secret of at least thirty-two bytes',
    countries: ['CO'],
    subject: () => 'ana',
    phone: () => undefined,
  })
  const { parsePhoneNumber: parse } = await import('../src/phone-number.js')
  const read = () => parse('+573001234567', { countries: ['CO'] })
  await expect(read()).rejects.toThrow()
  vi.doUnmock('libphonenumber-js/mobile')
  expect(await read()).toMatchObject({ ok: true })
})

describe('the countries', () => {
  it('each has its calling code', async () => {
    expect(await callingCodes(['CO', 'US', 'CA'])).toEqual({ CO: '57', US: '1', CA: '1' })
  })

  it('the codes are the 249 of ISO 3166-1, each two letters', () => {
    expect(countryCodes.size).toBe(249)
    expect([...countryCodes].filter((code) => !/^[A-Z]{2}$/.test(code))).toEqual([])
    expect(['AC', 'TA', 'XK'].filter((code) => countryCodes.has(code))).toEqual([])
  })

  it('the countries with phone numbers match the numbering plans', () => {
    expect([...phoneCountries].sort()).toEqual(getCountries().sort())
  })

  it('a territory without own numbers is still a country', () => {
    const silent = [...countryCodes].filter((code) => !phoneCountries.has(code))
    expect(silent).toEqual(['AQ', 'BV', 'GS', 'HM', 'PN', 'TF', 'UM'])
  })
})
