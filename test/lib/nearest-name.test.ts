import { expect, test } from 'vitest'
import { nearestName } from '../../src/lib/options.js'

test.each([
  ['coutries', 'countries', 'a letter is missing'],
  ['countreis', 'countries', 'two letters have changed places'],
  ['COUNTRIES', 'countries', 'capitals'],
  ['countrixx', 'countries', 'the last two letters'],
  ['ountrie', 'countries', 'both ends are missing'],
  ['kex', 'key', 'one of three letters'],
  ['modus', 'modes', 'one of five letters'],
])('%s was probably meant to be %s: %s', (name, meant) => {
  expect(nearestName(name, ['channels', meant])).toBe(meant)
})

test.each([
  ['xxxntries', ['countries'], 'three edits'],
  ['untrixs', ['countries'], 'two are missing and one is wrong'],
  ['kxx', ['key'], 'two of three letters'],
  ['moxxs', ['modes'], 'two of five letters'],
  ['xn', ['on'], 'one of two letters'],
  ['a', [], 'nothing is known'],
])('%s means nothing among %j: %s', (name, known) => {
  expect(nearestName(name, known)).toBeUndefined()
})

test('the nearest of several is meant, wherever it stands, and the first of two that are as near', () => {
  expect(nearestName('channelz', ['channelling', 'chaneels', 'channels'])).toBe('channels')
  expect(nearestName('channelz', ['channels', 'chaneels'])).toBe('channels')
  expect(nearestName('lockMz', ['lockMx', 'lockMy'])).toBe('lockMx')
})
