import { randomBytes } from 'node:crypto'
import { createBoundedMap } from './bounded-memory.js'
import type { Click } from './clicks.js'

/** A short URL that redirects. */
export interface ShortLink {
  /** Its name at the provider. */
  readonly name: string
  /** The short URL. */
  readonly urlShort: string
  /** Target of the redirect. */
  readonly urlLong: string
  /** True for a link with the statistics of premium links. */
  readonly premium: boolean
  /** The group at creation. */
  readonly groupName?: string
  /** The domain at creation. */
  readonly domainName?: string
  /** Sandbox time, in ms. */
  readonly createdAt: number
  /** From this moment on, the link neither redirects nor has statistics. */
  readonly expiresAt: number
}

/** A short link with its clicks so far. */
export interface ListedLink extends ShortLink {
  /** Number of visits. */
  readonly clicks: number
}

/** The created short URLs. The newest 1,000 links and 20,000 clicks are kept. */
export interface Links {
  /** Returns the links, newest first. */
  list(): readonly ListedLink[]
}

export interface LinkOrder extends Omit<ShortLink, 'urlShort' | 'createdAt' | 'expiresAt'> {
  readonly alias?: string
  readonly months: number
}

/** A link, with `created` for a new link, or the member that another URL already uses. */
type Created = { readonly link: ShortLink; readonly created: boolean } | { readonly taken: 'name' | 'alias' }

export type LinkStore = ReturnType<typeof createLinks>

const maxLinks = 1_000
const maxClicks = 20_000

export function createLinks(origin: string, now: () => number, changed: () => void) {
  const links = createBoundedMap<ShortLink>(maxLinks)
  let clicks: (Click & { readonly link: ShortLink })[] = []

  const live = (link: ShortLink | undefined) => (link && now() < link.expiresAt ? link : undefined)
  const named = (name: string) => live(links.get(name))
  /** Returns the unexpired link at a path below the origin. */
  const at = (path: string) =>
    live(links.newestFirst().find(({ urlShort }) => urlShort === `${origin}${path}`))
  function pathOf({ alias, domainName }: LinkOrder): string {
    const last = alias ?? randomBytes(5).toString('base64url')
    return domainName === undefined ? `/s/${last}` : `/s/${domainName}/${last}`
  }

  return {
    list(): readonly ListedLink[] {
      const counted = new Map<ShortLink, number>()
      for (const { link } of clicks) counted.set(link, (counted.get(link) ?? 0) + 1)
      return links.newestFirst().map((link) => ({ ...link, clicks: counted.get(link) ?? 0 }))
    },
    /** Creates a link, or returns an existing equal link. */
    create(order: LinkOrder): Created {
      const { alias, months, ...about } = order
      const known = named(order.name)
      if (known?.urlLong === order.urlLong) return { link: known, created: false }
      if (known !== undefined) return { taken: 'name' }
      const path = pathOf(order)
      if (at(path) !== undefined) return { taken: 'alias' }
      const createdAt = now()
      const link = {
        ...about,
        urlShort: `${origin}${path}`,
        createdAt,
        expiresAt: monthsAfter(createdAt, months),
      }
      links.set(link.name, link)
      return { link, created: true }
    },
    at,
    named,
    clicked(link: ShortLink, click: Click): void {
      clicks.push({ link, ...click })
      if (clicks.length > maxClicks) clicks.shift()
      changed()
    },
    /** Returns the clicks of a link from a moment on and before another, in order of time. */
    clicksOf: (link: ShortLink, from: number, before: number): readonly Click[] =>
      clicks.filter((click) => click.link === link && click.at >= from && click.at < before),
    clear(): void {
      links.clear()
      clicks = []
    },
  }
}

/** Returns this day some months later, or the last day of that month if it is shorter. */
function monthsAfter(at: number, months: number): number {
  const date = new Date(at)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months, 1)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.setUTCDate(Math.min(day, lastDay))
}
