import { expect, test } from 'vitest'
import { textLength } from '../../src/lib/text-length.js'

test.each<[text: string, length: number, limit: number, parts: number, foreign?: string]>([
  ['', 0, 160, 1],
  ['¿Qué?\n', 6, 160, 1],
  ['ñ à ä ö ü è é ì ò ù É Ñ Ç ß', 27, 160, 1],
  // Escape and character.
  ['100 €', 6, 160, 1],
  ['^{}\\[~]|€\f', 20, 160, 1],
  // Each of several parts loses room to a header.
  ['x'.repeat(160), 160, 160, 1],
  ['x'.repeat(306), 306, 160, 2],
  ['x'.repeat(307), 307, 160, 3],
  ['✓'.repeat(134), 134, 70, 2, '✓'],
  ['✓'.repeat(135), 135, 70, 3, '✓'],
  // What counts twice is not split between two of them.
  [`${'x'.repeat(152)}€${'x'.repeat(152)}`, 306, 160, 3],
  [`${'x'.repeat(151)}€${'x'.repeat(153)}`, 306, 160, 2],
  [`${'✓'.repeat(66)}👍${'✓'.repeat(66)}`, 134, 70, 3, '✓'],
  [`${'✓'.repeat(65)}👍${'✓'.repeat(67)}`, 134, 70, 2, '✓'],
  // One foreign character makes all of them wide; a pair of surrogates counts twice.
  ['100 € ✓', 7, 70, 1, '✓'],
  ['👍', 2, 70, 1, '👍'],
  ['á', 1, 70, 1, 'á'],
])('%j has the length %i of %i, %i parts', (text, length, limit, parts, foreign) => {
  expect(textLength(text)).toEqual({ length, limit, parts, foreign })
})
