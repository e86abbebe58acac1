import { describe, expect, it } from 'vitest'
import { formBody } from '../../src/express/guard/resumption.js'

describe('a parsed body, sent again as a form', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['keeps its fields in their order', { b: '1', a: '2' }, 'b=1&a=2'],
    ['keeps a field that is empty', { a: '' }, 'a='],
    ['repeats a field that came twice', { a: ['1', '2'], b: '3' }, 'a=1&a=2&b=3'],
    ['names a list of one as a list', { a: ['1'] }, 'a[0]=1'],
    ['names the members of objects', { o: { x: '1', y: { z: '2' } } }, 'o[x]=1&o[y][z]=2'],
    ['keeps the members of a list apart', { l: [{ q: '1' }, { q: '2' }] }, 'l[0][q]=1&l[1][q]=2'],
    ['keeps their places where only some are objects', { l: ['1', { q: '2' }] }, 'l[0]=1&l[1][q]=2'],
    ['has nothing of an empty list', { a: [], b: '1' }, 'b=1'],
  ])('%s', (_name, body, form) => {
    expect(decodeURIComponent(formBody(body) ?? 'not kept')).toBe(form)
  })

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
