import { randomUUID } from 'node:crypto'
import type { Request, Response } from 'express'
import { cookiesIn } from './cookie-headers.js'
import { findField, type RequestContext } from './request-body.js'

const probe = 'two-factor-cookies'
const probeValue = /^[\w-]{36}$/

/**
 * Sets a cookie with the first page of a sign-up. If a form of that page arrives without any cookie, the browser blocks
 * them, and a code would be sent in vain. Its value also identifies the browser of a double post before there is a
 * session.
 */
export function layProbe(req: Request, res: Response): void {
  // For the whole site, because a proxy may change the path of the mount.
  res.cookie(probe, randomUUID(), { path: '/', httpOnly: true, sameSite: 'lax', secure: req.secure })
}

/** Returns the value of that cookie. */
export function probeIn(req: Request): string | undefined {
  return cookiesIn(req).find(({ name, value }) => name === probe && probeValue.test(value))?.value
}

/** Hidden field of a form whose page set the cookie or already had it. */
export const probeField = { name: 'cookies', value: 'set' } as const

/** Returns whether the browser blocks cookies. Only a same-origin form of this package shows it for certain. */
export function blocksCookies({ req, fields }: RequestContext): boolean {
  if (findField(fields, probeField.name) !== probeField.value) return false
  return req.headers['sec-fetch-site'] === 'same-origin' && req.headers.cookie === undefined
}
