import { describe, expect, test } from 'vitest'
import {
  contrast,
  dark,
  isReadable,
  light,
  nearestReadable,
  parseColour,
} from '../../../src/express/pages/brand.js'

describe('a colour', () => {
  test('has three or six hexadecimal digits', () => {
    expect(parseColour('#0aF')).toEqual([0, 170, 255])
    expect(parseColour('#0102fE')).toEqual([1, 2, 254])
  })

  test.each([
    ...['', '#', 'fff', '#ff', '#ffff', '#fffff', '#fffffff', '#ggg', '#gggggg', '#ffg', '#ffffgg'],
    ...['x#fff', '#fffx', 'x#ffffff', '#ffffffx', '#fff;}', '#xff', '#fxf', '#xxffff', '#ffxxff'],
  ])('%j is none', (colour) => expect(parseColour(colour)).toBeUndefined())
})

describe('the contrast of two colours', () => {
  // https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio; the figures are those that its checkers show.
  test.each([
    ['#000000', '#ffffff', 21],
    ['#777777', '#ffffff', 4.48],
    ['#767676', '#ffffff', 4.54],
    ['#ff0000', '#ffffff', 4],
    ['#00ff00', '#ffffff', 1.37],
    ['#0000ff', '#ffffff', 8.59],
    ['#0a0a0a', '#000000', 1.06],
    ['#0b0b0b', '#000000', 1.07],
    ['#123456', '#123456', 1],
  ])('of %s and %s is %d, whichever comes first', (one, other, ratio) => {
    expect(contrast(one, other)).toBeCloseTo(ratio, 2)
    expect(contrast(other, one)).toBe(contrast(one, other))
  })

  test('takes what is no colour for black', () => {
    expect(contrast('red', '#fff')).toBe(contrast('#000', '#fff'))
  })
})

describe('an accent colour', () => {
  test('is readable with 4.5 to 1 on its paper and below its text', () => {
    expect(isReadable('#767676', light)).toBe(true)
    expect(isReadable('#777777', light)).toBe(false)
    expect(isReadable('#000000', { paper: '#ffffff', onAccent: '#000000' })).toBe(false)
    expect(isReadable('#000000', { paper: '#000000', onAccent: '#ffffff' })).toBe(false)
    expect(isReadable('#8ab4f8', dark)).toBe(true)
    expect(isReadable('#0c1a33', dark)).toBe(false)
  })

  test('that is readable stays as it is', () => {
    expect(nearestReadable('#0b57d0', light)).toBe('#0b57d0')
    expect(nearestReadable('#036', light)).toBe('#003366')
  })

  test.each([
    ['#ffff00', light, '#7a7a00'],
    ['#ff0000', light, '#ee0000'],
    ['#000000', dark, '#848484'],
    ['#0b57d0', dark, '#4c84dd'],
  ])('%s moves towards what can be read, and no further', (accent, surroundings, readable) => {
    expect(nearestReadable(accent, surroundings)).toBe(readable)
    expect(isReadable(readable, surroundings)).toBe(true)
  })

  test('ends at black or white where nothing can be read', () => {
    expect(nearestReadable('#888888', { paper: '#ffffff', onAccent: '#333333' })).toBe('#000000')
    expect(nearestReadable('#888888', { paper: '#000000', onAccent: '#cccccc' })).toBe('#ffffff')
  })

  test('that is no colour counts as black', () => {
    expect(nearestReadable('red', light)).toBe('#000000')
  })
})
