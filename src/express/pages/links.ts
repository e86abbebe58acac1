import type { Request } from 'express'
import { hostFunction } from '../../lib/host-function.js'
import { safePath } from '../http/origin.js'

export const linkNames = ['signIn', 'addPhone', 'support', 'lostPhone', 'home', 'otherMethod'] as const

type LinkName = (typeof linkNames)[number]

/** A path of the app, an https URL, a `mailto:` or `tel:` link, or a function that picks one for the request. */
export type Link = string | ((req: Request) => string)

/**
 * Where pages that cannot help by themselves lead to.
 *
 * @example
 * twoFactor({ pages: { links: { home: '/', support: 'mailto:help@example.com', lostPhone: (req) => lostUrl(req) } } })
 */
export type LinkOptions = { readonly [Name in LinkName]?: Link | undefined }

/** The links of one request. */
export type PageLinks = { readonly [Name in LinkName]?: string }

/** Picks the links of one request. What {@link isLink} refuses is left out (open redirect). */
export function createLinks(options: LinkOptions): (req: Request) => PageLinks {
  return (req) => {
    const links: { [Name in LinkName]?: string } = {}
    for (const name of linkNames) {
      const link = options[name]
      const url = typeof link === 'function' ? hostFunction(link)(req) : link
      if (isLink(url)) links[name] = url
    }
    return links
  }
}

/** Whether pages may link there. `javascript:` and plain http are not accepted. */
export function isLink(value: unknown, protocols = ['https:', 'mailto:', 'tel:']): value is string {
  if (typeof value !== 'string') return false
  if (safePath(value) !== undefined) return true
  return URL.canParse(value) && protocols.includes(new URL(value).protocol)
}

/** The sign-in page, told where to come back to. */
export function signInUrl(link: string, returnTo: string | undefined): string {
  if (returnTo === undefined || safePath(link) === undefined) return link
  const [path = '', hash] = link.split('#')
  const query = `${path.includes('?') ? '&' : '?'}returnTo=${encodeURIComponent(returnTo)}`
  return `${path}${query}${hash === undefined ? '' : `#${hash}`}`
}

/** What ties a page to the request that led to it. */
export interface PageLink {
  readonly requirement?: string | undefined
  readonly purpose?: string | undefined
  readonly returnTo?: string | undefined
  /** The form that waits to be posted again. */
  readonly formId?: string | undefined
  /** The page for another way than the code that was sent: for one of the app, a recovery code, or to choose `any`. */
  readonly method?: 'app' | 'recovery-code' | 'any' | undefined
}

export function pageUrl(base: string, brought: PageLink): string {
  const { requirement, purpose, returnTo, formId: form, method } = brought
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ requirement, purpose, returnTo, form, method })) {
    if (value !== undefined) query.set(name, value)
  }
  // Mounted at the root, the base is empty, and an empty Location leads nowhere.
  const path = base === '' ? '/' : base
  return query.size === 0 ? path : `${path}?${query}`
}
