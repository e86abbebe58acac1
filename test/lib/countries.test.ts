import { getCountries } from 'libphonenumber-js/mobile'
import { expect, test } from 'vitest'
import { countryCodes, phoneCountries } from '../../src/lib/countries.js'

test('the codes are the 249 of ISO 3166-1, each two letters', () => {
  expect(countryCodes.size).toBe(249)
  expect([...countryCodes].filter((code) => !/^[A-Z]{2}$/.test(code))).toEqual([])
  expect(['AC', 'TA', 'XK'].filter((code) => countryCodes.has(code))).toEqual([])
})

test('the countries with phone numbers are those of the numbering plans', () => {
  expect([...phoneCountries].sort()).toEqual(getCountries().sort())
})

test('what has no numbers of its own is a country all the same', () => {
  const silent = [...countryCodes].filter((code) => !phoneCountries.has(code))
  expect(silent).toEqual(['AQ', 'BV', 'GS', 'HM', 'PN', 'TF', 'UM'])
})
