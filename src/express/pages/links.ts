import type { Request } from 'express'
import { hostFunction } from '../../lib/host-function.js'
import { type SitePaths, safePath } from '../http/site-paths.js'

export const linkNames = ['signIn', 'addPhone', 'support', 'lostPhone', 'home', 'otherMethod'] as const

type LinkName = (typeof linkNames)[number]

/** A path of the app, an https URL, a `mailto:` or `tel:` link, or a function that returns one for the request. */
export type Link = string | ((req: Request) => string)

/**
 * Targets of the exit links, for pages that cannot help the user further.
 *
 * @example
 * twoFactor({ pages: { links: { home: '/', support: 'mailto:help@example.com', lostPhone: (req) => lostUrl(req) } } })
 */
export type LinkOptions = { readonly [Name in LinkName]?: Link | undefined }

/** The links of one request. */
export type PageLinks = { readonly [Name in LinkName]?: string }

/** Selects the links of one request. A link that {@link isLink} refuses is omitted (open redirect). */
export function createLinks(
  options: LinkOptions,
  { prefix, fromApp, toBrowser }: Pick<SitePaths, 'prefix' | 'fromApp' | 'toBrowser'>,
): (req: Request) => PageLinks {
  const home = prefix === '' ? {} : { home: toBrowser('/') }
  return (req) => {
    const links: { [Name in LinkName]?: string } = { ...home }
    for (const name of linkNames) {
      const link = options[name]
      const url = typeof link === 'function' ? hostFunction(link)(req) : link
      if (isLink(url)) links[name] = fromApp(url) ?? url
    }
    return links
  }
}

/** Returns whether pages may link to a target. `javascript:` and plain http are not accepted. */
export function isLink(value: unknown, protocols = ['https:', 'mailto:', 'tel:']): value is string {
  if (typeof value !== 'string') return false
  if (safePath(value) !== undefined) return true
  return URL.canParse(value) && protocols.includes(new URL(value).protocol)
}

/** Returns the URL of the sign-in page with the return path. */
export function signInUrl(link: string, returnTo: string | undefined): string {
  if (returnTo === undefined || safePath(link) === undefined) return link
  const [path = '', hash] = link.split('#')
  const query = `${path.includes('?') ? '&' : '?'}returnTo=${encodeURIComponent(returnTo)}`
  return `${path}${query}${hash === undefined ? '' : `#${hash}`}`
}

/** Parameters that connect a page to the request before it. */
export interface PageLink {
  readonly requirement?: string | undefined
  readonly purpose?: string | undefined
  readonly returnTo?: string | undefined
  /** Id of the saved form. */
  readonly formId?: string | undefined
  /** Selects the page of another method than the sent code: an app, a recovery code, or the choice (`any`). */
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
