import type { Request } from 'express'
import type { HttpParts } from '../http-parts.js'

/** The facts of a page that asks for no number and for no code that is sent. */
export const bareView = ({ linksOf, domain }: Pick<HttpParts, 'linksOf' | 'domain'>, req: Request) => ({
  channels: [],
  offerTrust: false,
  lettersInCode: false,
  changeableNumber: false,
  links: linksOf(req),
  countries: [],
  now: domain.now(),
})
