import { expect, it } from 'vitest'
import { plainCharacters } from '../../src/lib/typed.js'

it('reads the decimal digits of any script, and nothing else', () => {
  expect(plainCharacters('٤٨٢٩١٣ ۴۸۲۹۱۳ ४८२९१३ 𞥐𞥙')).toBe('482913 482913 482913 09')
  expect(plainCharacters('aé五')).toBe('aé五')
})

it('knows each digit of each script from its formatter', () => {
  // Some of those systems are no decimal digits, such as Roman numerals.
  const systems = Intl.supportedValuesOf('numberingSystem').filter((system) => {
    const zero = new Intl.NumberFormat('en', { numberingSystem: system }).format(0)
    return /^\p{Nd}$/u.test(zero)
  })
  expect(systems.length).toBeGreaterThan(50)
  for (const numberingSystem of systems) {
    const format = new Intl.NumberFormat('en', { numberingSystem, useGrouping: false })
    expect([numberingSystem, plainCharacters(format.format(9_876_543_210))]).toEqual([
      numberingSystem,
      '9876543210',
    ])
  }
})
