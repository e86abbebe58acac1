import { expect, test } from 'vitest'
import { textLength } from '../../src/lib/text-length.js'

test.each([
  ['', 0, 160, 'GSM-7'],
  ['¿Qué?\n', 6, 160, 'GSM-7'],
  // Escape and character.
  ['100 €', 6, 160, 'GSM-7'],
  ['^{}\\[~]|€\f', 20, 160, 'GSM-7'],
  // One foreign character makes all of them wide; a pair of surrogates counts twice.
  ['100 € ✓', 7, 70, 'UCS-2'],
  ['👍', 2, 70, 'UCS-2'],
])('%j has the length %i of %i in %s', (text, length, limit, alphabet) => {
  expect(textLength(text)).toEqual({ length, limit, alphabet })
})
