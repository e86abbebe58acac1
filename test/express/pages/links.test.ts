import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { createSitePaths } from '../../../src/express/http/site-paths.js'
import { createLinks, isLink, signInUrl } from '../../../src/express/pages/links.js'

const atRoot = createSitePaths('')
const req = { originalUrl: '/transfer' } as Request

describe('links out of the pages', () => {
  it('are fixed, or chosen per request', () => {
    const linksOf = createLinks(
      {
        signIn: (asked) => `/sign-in?for=${asked.originalUrl}`,
        support: 'https://help.example.com/',
      },
      atRoot,
    )
    expect(linksOf(req)).toEqual({ signIn: '/sign-in?for=/transfer', support: 'https://help.example.com/' })
    expect(createLinks({}, atRoot)(req)).toEqual({})
  })

  it.each(['/help', 'https://help.example.com/a?b=c', 'mailto:help@example.com', 'tel:+15550100'])(
    'may be %s',
    (url) => {
      expect(isLink(url)).toBe(true)
    },
  )

  it.each([
    'javascript:alert(1)',
    '//evil.example',
    '/\\evil.example',
    'http://help.example.com',
    'help',
    '',
    5,
    undefined,
  ])('may not be %s (open redirect, XSS)', (url) => {
    expect(isLink(url)).toBe(false)
    expect(createLinks({ home: () => url as string }, atRoot)(req)).toEqual({})
  })

  it('pass the way back to the sign-in page of this site, and to no other site', () => {
    expect(signInUrl('/sign-in', '/pay?a=1')).toBe('/sign-in?returnTo=%2Fpay%3Fa%3D1')
    expect(signInUrl('/sign-in?x=1#form', '/pay')).toBe('/sign-in?x=1&returnTo=%2Fpay#form')
    expect(signInUrl('/sign-in', undefined)).toBe('/sign-in')
    expect(signInUrl('https://id.example.com/', '/pay')).toBe('https://id.example.com/')
  })
})
