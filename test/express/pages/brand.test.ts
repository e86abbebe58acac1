import { describe, expect, it } from 'vitest'
import {
  contrast,
  createPageHeaders,
  dark,
  isReadable,
  light,
  nearestReadable,
  parseColour,
  styleSheet,
} from '../../../src/express/pages/brand.js'

describe('the style sheet of a brand', () => {
  const pageCss = styleSheet(undefined)
  const added = (brand: object) =>
    styleSheet({ name: 'Acme', ...brand })
      .slice(pageCss.length)
      .trim()

  it('contains the values of the brand and changes nothing else', () => {
    expect(added({})).toBe('')
    expect(added({ radius: 0 })).toBe(':root { --radius: 0px; }')
    expect(added({ font: 'Inter', css: 'main { border: 0 }' })).toBe(
      ':root { --font: Inter; }\nmain { border: 0 }',
    )
    expect(added({ accentDark: '#7fd8b9' })).toBe(
      '@media (prefers-color-scheme: dark) { :root { --accent: #7fd8b9; } }',
    )
  })

  it('has a readable shade of its colour in dark mode', () => {
    const [, darkAccent = ''] =
      /dark\) \{ :root \{ --accent: (.+); \} \}/.exec(added({ accent: '#0b6e4f' })) ?? []
    expect(isReadable(darkAccent, dark)).toBe(true)
  })

  it('is judged by the colours that the pages have', () => {
    const [, ofLight = '', ofDark = ''] = pageCss.split(':root {')
    for (const [rule, { paper, onAccent }] of [
      [ofLight, light],
      [ofDark, dark],
    ] as const) {
      const colours = [/--paper: (\S+);/, /--on-accent: (\S+);/].map((named) => named.exec(rule)?.[1] ?? '')
      expect(colours.map(parseColour)).toEqual([paper, onAccent].map(parseColour))
    }
  })
})

describe('the policy of the pages', () => {
  it('omits form-action for a form that ends a sign-in, which may continue on another site', () => {
    expect(createPageHeaders(undefined, false, [])['Content-Security-Policy']).not.toContain('form-action')
  })

  const policy = (...given: Parameters<typeof createPageHeaders>) =>
    createPageHeaders(...given)['Content-Security-Policy']

  it.each<[string, object, string]>([
    ['a logo of the site', { logoUrl: '/logo.svg' }, "; img-src 'self';"],
    [
      'one of elsewhere',
      { logoUrl: 'https://cdn.example.com/a/logo.svg' },
      '; img-src https://cdn.example.com;',
    ],
    ['images', { csp: { imgSrc: ['data:'] } }, '; img-src data:;'],
    ['fonts', { csp: { fontSrc: ['https://f.example'] } }, '; font-src https://f.example;'],
    ['styles', { csp: { styleSrc: ['https://f.example'] } }, "style-src 'self' https://f.example;"],
  ])('opens for what the brand names, and for nothing else: %s', (_what, brand, opened) => {
    expect(policy(undefined)).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(policy({ name: 'Acme', ...brand })).toContain(opened)
  })

  it('takes images of the site for a page that the host makes', () => {
    expect(policy(undefined, true)).toContain("; img-src 'self'; form-action")
  })
})

describe('a colour', () => {
  it('has three or six hexadecimal digits', () => {
    expect(parseColour('#0aF')).toEqual([0, 170, 255])
    expect(parseColour('#0102fE')).toEqual([1, 2, 254])
  })

  it.each([
    '',
    'fff',
    '#ff',
    '#ffff',
    '#fffff',
    '#ggg',
    '#ffffgg',
    'x#fff',
    '#fff;}',
    'x#ffffff',
    '#ffffffx',
  ])('%j is none', (colour) => expect(parseColour(colour)).toBeUndefined())

  // https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio; the figures are those that its checkers show.
  it.each([
    ['#000000', '#ffffff', 21],
    ['#777777', '#ffffff', 4.48],
    ['#ff0000', '#ffffff', 4],
    ['#00ff00', '#ffffff', 1.37],
    ['#0000ff', '#ffffff', 8.59],
    ['#0a0a0a', '#000000', 1.06],
    ['#0b0b0b', '#000000', 1.07],
    // What is no colour counts as black.
    ['red', '#fff', 21],
  ])('%s beside %s has a contrast of %d, in both orders', (one, other, ratio) => {
    expect(contrast(one, other)).toBeCloseTo(ratio, 2)
    expect(contrast(other, one)).toBe(contrast(one, other))
  })
})

describe('an accent colour', () => {
  it('is readable with 4.5 to 1 on its paper and below its text', () => {
    expect(isReadable('#767676', light)).toBe(true)
    expect(isReadable('#777777', light)).toBe(false)
    expect(isReadable('#000000', { paper: '#ffffff', onAccent: '#000000' })).toBe(false)
    expect(isReadable('#000000', { paper: '#000000', onAccent: '#ffffff' })).toBe(false)
  })

  it.each([
    ['#0b57d0', light, '#0b57d0'],
    ['#036', light, '#003366'],
    ['#ffff00', light, '#7a7a00'],
    ['#ff0000', light, '#ee0000'],
    ['#000000', dark, '#848484'],
    ['#0b57d0', dark, '#4c84dd'],
    ['red', light, '#000000'],
    // Nothing can be read: black or white.
    ['#888888', { paper: '#ffffff', onAccent: '#333333' }, '#000000'],
    ['#888888', { paper: '#000000', onAccent: '#cccccc' }, '#ffffff'],
  ])('%s moves just far enough to be readable', (accent, surroundings, readable) => {
    expect(nearestReadable(accent, surroundings)).toBe(readable)
  })
})
