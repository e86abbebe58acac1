import type { Request } from 'express'
import type { HttpParts } from '../http-parts.js'

/** Returns the facts of a page that asks for no number and for no sent code. */
export const bareView = ({ linksOf, domain }: Pick<HttpParts, 'linksOf' | 'domain'>, req: Request) => ({
  channels: [],
  offerTrust: false,
  lettersInCode: false,
  changeableNumber: false,
  links: linksOf(req),
  countries: [],
  now: domain.now(),
})
