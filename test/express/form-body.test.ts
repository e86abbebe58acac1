import { describe, expect, it } from 'vitest'
import { formBody } from '../../src/express/guard/resumption.js'

describe('a parsed body, sent again as a form', () => {
  it.each([
    5,
    null,
    true,
    undefined,
    new Date(0),
    [5],
    ['1', 5],
    [['1', null]],
    { x: 5 },
    { x: { y: false } },
  ])('is not kept with a field that no form can send: %j', (value) => {
    expect(formBody({ a: '1', b: value })).toBeUndefined()
  })

  it.each([
    [8_190, 8_192],
    [8_191, undefined],
  ])('with %i letters in its one field takes %s bytes of the store', (letters, bytes) => {
    expect(formBody({ a: 'x'.repeat(letters) })?.length).toBe(bytes)
  })
})
