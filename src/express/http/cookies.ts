import { randomUUID } from 'node:crypto'
import type { Request, Response } from 'express'
import { cookiesIn } from './cookie-headers.js'
import { oneString, type RequestContext } from './request-body.js'

const probe = 'two-factor-cookies'
const probeValue = /^[\w-]{36}$/

/**
 * A cookie of the first page of a sign-up: a form of that page that arrives without any cookie comes from a browser that
 * blocks them, and a code would be sent to it in vain. Its value tells two posts of one browser from those of two,
 * before there is a session.
 */
export function layProbe(req: Request, res: Response): void {
  // For the whole site: behind a proxy the path of the mount may be another one.
  res.cookie(probe, randomUUID(), { path: '/', httpOnly: true, sameSite: 'lax', secure: req.secure })
}

/** The value of that cookie. */
export function probeIn(req: Request): string | undefined {
  return cookiesIn(req).find(({ name, value }) => name === probe && probeValue.test(value))?.value
}

/** Hidden field of a form whose page came with a cookie, or followed one. */
export const probeField = { name: 'cookies', value: 'set' } as const

/** Whether the browser blocks cookies. Only a form of ours from the same site says so for certain. */
export function blocksCookies({ req, fields }: RequestContext): boolean {
  if (oneString(fields, probeField.name) !== probeField.value) return false
  return req.headers['sec-fetch-site'] === 'same-origin' && req.headers.cookie === undefined
}
