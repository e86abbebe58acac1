import { expect, test } from 'vitest'
import { textLength } from '../../src/lib/text-length.js'

test.each([
  ['', 0, 160, 1, 'GSM-7'],
  ['¿Qué?\n', 6, 160, 1, 'GSM-7'],
  // Escape and character.
  ['100 €', 6, 160, 1, 'GSM-7'],
  ['^{}\\[~]|€\f', 20, 160, 1, 'GSM-7'],
  // Each of several parts loses room to a header.
  ['x'.repeat(160), 160, 160, 1, 'GSM-7'],
  ['x'.repeat(306), 306, 160, 2, 'GSM-7'],
  ['x'.repeat(307), 307, 160, 3, 'GSM-7'],
  ['✓'.repeat(134), 134, 70, 2, 'UCS-2'],
  ['✓'.repeat(135), 135, 70, 3, 'UCS-2'],
  // One foreign character makes all of them wide; a pair of surrogates counts twice.
  ['100 € ✓', 7, 70, 1, 'UCS-2'],
  ['👍', 2, 70, 1, 'UCS-2'],
])('%j has the length %i of %i, %i parts in %s', (text, length, limit, parts, alphabet) => {
  expect(textLength(text)).toEqual({ length, limit, parts, alphabet })
})
