import { randomBytes } from 'node:crypto'
import type { Click } from './click.js'
import { createRecent } from './recent.js'
import { type Refusal, refuse } from './service/refusals.js'

/** A short URL that redirects. */
export interface ShortLink {
  readonly name: string
  readonly urlShort: string
  readonly urlLong: string
  readonly premium: boolean
  readonly groupName?: string
  readonly domainName?: string
  /** Sandbox time, in ms. */
  readonly createdAt: number
  /** From this moment on it redirects no more and has no statistics. */
  readonly expiresAt: number
}

/** A short link with its clicks so far. */
export interface ListedLink extends ShortLink {
  readonly clicks: number
}

/** The short URLs that were made. The newest 1,000 links and 20,000 clicks are kept. */
export interface Links {
  /** Newest first. */
  list(): readonly ListedLink[]
}

interface LinkOrder extends Omit<ShortLink, 'urlShort' | 'createdAt' | 'expiresAt'> {
  readonly alias?: string
  readonly months: number
}

export interface LinkKeeper extends Links {
  /** Makes a link, or finds the same one made before. */
  create(order: LinkOrder): { readonly link: ShortLink; readonly made: boolean } | Refusal
  /** The link at a path below the origin, while it lives. */
  at(path: string): ShortLink | undefined
  named(name: string): ShortLink | undefined
  clicked(link: ShortLink, click: Click): void
  /** The clicks of a link from a moment on and before another, in order of time. */
  clicksOf(link: ShortLink, from: number, before: number): readonly Click[]
  clear(): void
}

const mostLinks = 1_000
const mostClicks = 20_000

export function createLinks(origin: string, now: () => number): LinkKeeper {
  const links = createRecent<ShortLink>(mostLinks)
  let clicks: { readonly link: ShortLink; readonly click: Click }[] = []

  const alive = (link: ShortLink | undefined) => (link && now() < link.expiresAt ? link : undefined)
  const named = (name: string) => alive(links.get(name))
  const at = (path: string) => alive(links.values().find(({ urlShort }) => urlShort === `${origin}${path}`))
  function pathOf({ alias, domainName }: LinkOrder): string {
    const last = alias ?? randomBytes(5).toString('base64url')
    return domainName === undefined ? `/s/${last}` : `/s/${domainName}/${last}`
  }

  return {
    list() {
      const counted = new Map<ShortLink, number>()
      for (const { link } of clicks) counted.set(link, (counted.get(link) ?? 0) + 1)
      return links
        .values()
        .reverse()
        .map((link) => ({ ...link, clicks: counted.get(link) ?? 0 }))
    },
    create(order) {
      const { alias, months, ...about } = order
      const known = named(order.name)
      if (known?.urlLong === order.urlLong) return { link: known, made: false }
      if (known !== undefined) return refuse('urlTaken', 'Another URL has this name.')
      const path = pathOf(order)
      if (at(path) !== undefined) return refuse('urlTaken', 'Another URL has this alias.')
      const createdAt = now()
      const link = {
        ...about,
        urlShort: `${origin}${path}`,
        createdAt,
        expiresAt: monthsAfter(createdAt, months),
      }
      links.set(link.name, link)
      return { link, made: true }
    },
    at,
    named,
    clicked(link, click) {
      clicks.push({ link, click })
      // Dropped in bulk: moving the whole list for every click would cost more than the click.
      if (clicks.length > mostClicks * 1.1) clicks = clicks.slice(-mostClicks)
    },
    clicksOf: (link, from, before) =>
      clicks
        .filter((one) => one.link === link && one.click.at >= from && one.click.at < before)
        .map(({ click }) => click),
    clear() {
      links.clear()
      clicks = []
    },
  }
}

/** The same day some months later, or the last of its month when there is no such day. */
function monthsAfter(at: number, months: number): number {
  const date = new Date(at)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months, 1)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.setUTCDate(Math.min(day, lastDay))
}
