import { describe, expect, it } from 'vitest'
import {
  createPageHeaders,
  dark,
  isReadable,
  light,
  parseColour,
  styleSheet,
} from '../../../src/express/pages/brand.js'

const pageCss = styleSheet(undefined)

describe('a brand', () => {
  it('colours links and buttons, in dark mode with a readable shade of the same colour', () => {
    const css = styleSheet({ name: 'Acme', accent: '#0b6e4f', font: 'Inter, sans-serif', radius: 4 })
    expect(css).toContain(':root { --accent: #0b6e4f; --font: Inter, sans-serif; --radius: 4px; }')
    const [, darkAccent = ''] = /dark\) \{ :root \{ --accent: (#[\da-f]{6}); \} \}/.exec(css) ?? []
    expect(isReadable(darkAccent, dark)).toBe(true)
  })

  it('leaves the style of the pages alone where it says nothing about it', () => {
    const added = (brand: object) =>
      styleSheet({ name: 'Acme', ...brand })
        .slice(pageCss.length)
        .trim()
    expect(pageCss.match(/:root \{/g)).toHaveLength(2)
    expect(added({})).toBe('')
    expect(added({ radius: 0 })).toBe(':root { --radius: 0px; }')
    expect(added({ accentDark: '#7fd8b9' })).toBe(
      '@media (prefers-color-scheme: dark) { :root { --accent: #7fd8b9; } }',
    )
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

  it('appends its own style sheet to that of the pages', () => {
    expect(styleSheet({ name: 'Acme', css: 'main { border: 0 }' })).toMatch(
      /^:root[\s\S]*main \{ border: 0 \}$/,
    )
  })

  it('opens the policy of the pages only for what it names', () => {
    const policy = (brand: Parameters<typeof createPageHeaders>[0]) =>
      createPageHeaders(brand)['Content-Security-Policy']
    expect(policy(undefined)).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(policy({ name: 'Acme', logoUrl: '/logo.svg' })).toContain("; img-src 'self';")
    expect(createPageHeaders(undefined, true)['Content-Security-Policy']).toContain(
      "; img-src 'self'; form-action",
    )
    expect(policy({ name: 'Acme', logoUrl: 'https://cdn.example.com/a/logo.svg' })).toContain(
      '; img-src https://cdn.example.com;',
    )
    const csp = {
      imgSrc: ['data:'],
      fontSrc: ['https://fonts.example.com'],
      styleSrc: ['https://fonts.example.com'],
    }
    expect(policy({ name: 'Acme', csp })).toContain(
      "style-src 'self' https://fonts.example.com; script-src 'self'; img-src data:; font-src https://fonts.example.com;",
    )
  })
})
