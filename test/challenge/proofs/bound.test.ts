import { describe, expect, it } from 'vitest'
import { createSecrets } from '../../../src/challenge/keys.js'
import { type BoundFields, createBoundHash } from '../../../src/challenge/proofs/stored-grant.js'

const older = 'an older secret of thirty-two bytes.'
const newer = 'a newer secret of thirty-two bytes..'

describe('bound fields', () => {
  const hashBoundFields = createBoundHash(createSecrets([older]), '')

  it('have one hash for any order of their members', () => {
    expect(hashBoundFields({ amount: 100, to: { name: 'a', ids: [1, '2', null, true] } })).toBe(
      hashBoundFields({ to: { ids: [1, '2', null, true], name: 'a' }, amount: 100 }),
    )
    expect(hashBoundFields(Object.assign(Object.create(null), { amount: 100 }))).toBe(
      hashBoundFields({ amount: 100 }),
    )
  })

  it('have one hash in every process and version', () => {
    expect(hashBoundFields({ payee: 'ACME', amount: 100 })).toBe(
      'Gkov2Sc8j9dAGzaHTIOinJJLx2ocQ6xY8baSxD0Bsqo',
    )
  })

  it('have another hash for another secret or namespace, so that they cannot be guessed', () => {
    const fields = { payee: 'ACME', amount: 100 }
    const elsewhere = [
      createBoundHash(createSecrets([newer]), ''),
      createBoundHash(createSecrets([older]), 'tenant'),
    ].map((hash) => hash(fields))
    expect(new Set([hashBoundFields(fields), ...elsewhere]).size).toBe(3)
    // A rotation ends no grant.
    expect(createBoundHash(createSecrets([newer, older]), '')(fields)).toBe(hashBoundFields(fields))
  })

  it('are refused as an invalid request when they are nested more than 32 deep or in a circle', () => {
    const nested = (depth: number): BoundFields => (depth === 1 ? {} : { a: nested(depth - 1) })
    expect(hashBoundFields(nested(32))).toEqual(expect.any(String))
    const circle: Record<string, unknown> = {}
    circle.round = [circle]
    for (const fields of [nested(33), nested(5_000), circle]) {
      expect(() => hashBoundFields(fields as BoundFields)).toThrow(
        expect.objectContaining({ code: 'invalid_request', message: 'More than 32 levels of nesting.' }),
      )
    }
  })

  it.each([
    [{ amount: 100 }, { amount: '100' }],
    [{ list: [1, 2] }, { list: [2, 1] }],
    [{ list: [1, 2] }, { list: [12] }],
    [{ a: 'b' }, { a: 'b', c: null }],
    [{ a: '1,"b":2' }, { a: '1', b: 2 }],
    [{ a: 0 }, { a: false }],
    [{}, { a: {} }],
  ])('distinguish %j from %j', (left, right) => {
    expect(hashBoundFields(left)).not.toBe(hashBoundFields(right))
  })

  it.each([
    [undefined, 'bind returned nothing: `return` or the parentheses around `{ }` may be missing'],
    [{ to: ['undefined'] }, 'bind.to[0] is the text "undefined": `String()` returns it for no value'],
    [[1], 'bind is Array'],
    [{ amount: undefined }, 'bind.amount is undefined'],
    [{ amount: Number.NaN }, 'bind.amount is NaN'],
    [{ at: new Date(0) }, 'bind.at is Date'],
    [{ list: [{ to: Promise.resolve() }] }, 'bind.list[0].to is Promise'],
    // biome-ignore lint/suspicious/noSparseArray: a hole must be found, not passed over
    [{ list: [1, , 2] }, 'bind.list[1] is undefined'],
    [{ f: () => 1 }, 'bind.f is function'],
    [null, 'bind is object'],
    [Object.create(Object.create(null)), 'bind is object'],
  ])('refuse %o and name the member', (fields, message) => {
    expect(() => hashBoundFields(fields as never)).toThrow(TypeError)
    expect(() => hashBoundFields(fields as never)).toThrow(message)
  })

  it.each(['null', 'Undefined', ' NaN', 'undefined EUR', ''])('may be the text %j', (name) => {
    expect(hashBoundFields({ name })).toEqual(expect.any(String))
  })

  it.each([
    [{ to: { iban: undefined } }, 'to.iban is missing.'],
    [{ ids: [1, JSON.parse('-1e400')] }, 'ids[1] must be a finite number.'],
    [{ amount: Number('ten') }, 'amount must be a finite number.'],
    [{ amount: 'undefined' }, 'amount must not be the text "undefined".'],
    [{ ids: ['1', { id: 'NaN' }] }, 'ids[1].id must not be the text "NaN".'],
    [{ to: '[object Object]' }, 'to must not be the text "[object Object]".'],
    [undefined, undefined],
    [{ at: new Date(0) }, undefined],
  ])('name the empty field of %o to whoever has sent it', (fields, complaint) => {
    expect(() => hashBoundFields(fields as never)).toThrow(
      complaint === undefined
        ? expect.not.objectContaining({ complaint: expect.anything() })
        : expect.objectContaining({ complaint }),
    )
  })
})
