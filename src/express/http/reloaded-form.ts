import type { Request } from 'express'
import { queryOf } from './request-body.js'

// A page that responds to a form takes the address of a page that is got, so that a reload posts nothing again. WebKit
// keeps the form, and posts it to that address.

/** `page.js` adds it to an address at which forms are posted too. */
const mark = 'reloaded'

/** Returns whether a request posts a form again to the address of the page that responded to it. */
export function isReloadedForm(req: Request, expected: 'GET' | 'POST'): boolean {
  return req.method === 'POST' && (expected === 'GET' || Object.hasOwn(queryOf(req), mark))
}

/** The address of the request, to be got. It is relative, because a proxy may have changed the path. */
export function sameAddress({ originalUrl }: Request): string {
  const start = originalUrl.indexOf('?')
  return start === -1 ? '?' : originalUrl.slice(start)
}
