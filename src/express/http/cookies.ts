import type { Request, Response } from 'express'
import type { Domain } from '../../challenge/domain.js'
import type { DeviceToken } from '../../challenge/proofs/stored-device.js'
import { oneString, type RequestContext } from './request-body.js'

// The two cookies that the package sets: one by which a browser is recognized, one that shows whether it keeps any.

const tokenPattern = /^[\w-]{43}$/

/** The cookie by which a browser is recognized. The guard never reads it. */
export function createDeviceCookies({
  namespace,
  devices,
  purposes,
  now,
}: Pick<Domain, 'namespace' | 'devices' | 'purposes' | 'now'>) {
  // The prefix makes browsers refuse it from other hosts, subdomains and plain HTTP (RFC 6265bis, 4.1.3.2).
  const cookieName = `__Host-two-factor-device${namespace === '' ? '' : `-${namespace}`}`
  const isOurs = (line: string) => line.startsWith(`${cookieName}=`)

  function tokenOf(req: Request): string | undefined {
    const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim())
    const tokens = pairs.filter(isOurs).map((pair) => pair.slice(cookieName.length + 1))
    return tokens.find((token) => tokenPattern.test(token))
  }

  return {
    /** Whether a browser may stand in for the code at this purpose. */
    serves(name: string): boolean {
      const purpose = purposes.find(name)
      return purpose?.trustedDevice === true && !purpose.once
    },

    /** The browser of this request. `maySucceed`: its entry is read ahead even where it shows no cookie. */
    open: (req: Request, subject: string, maySucceed?: boolean) =>
      devices.open(subject, tokenOf(req), maySucceed),

    /** Sets what the browser keeps from now on, where it does not keep what it has. */
    keep(res: Response, kept: DeviceToken | undefined): void {
      if (kept === undefined || res.headersSent) return
      res.cookie(cookieName, kept.token, {
        maxAge: kept.expiresAt - now(),
        path: '/',
        secure: true,
        httpOnly: true,
        sameSite: 'lax',
      })
    },

    /** Takes that out of the response again; true where it has gone out already. */
    takeBack(res: Response): boolean {
      const lines = [res.getHeader('Set-Cookie') ?? []].flat().map(String)
      const others = lines.filter((line) => !isOurs(line))
      // The cookies of the host stay.
      if (!res.headersSent) res.setHeader('Set-Cookie', others)
      return res.headersSent && others.length < lines.length
    },
  }
}

/**
 * A cookie for a page that is the first to set one. It holds nothing: a form of that page that arrives without any
 * cookie comes from a browser that blocks them, and a code would be sent to it in vain.
 */
export function layProbe(req: Request, res: Response): void {
  // For the whole site: behind a proxy the path of the mount may be another one.
  res.cookie('two-factor-cookies', '1', { path: '/', httpOnly: true, sameSite: 'lax', secure: req.secure })
}

/** Hidden field of a form whose page came with a cookie, or followed one. */
export const probeField = { name: 'cookies', value: 'set' } as const

/** Whether the browser blocks cookies. Only a form of ours from the same site says so for certain. */
export function blocksCookies({ req, fields }: RequestContext): boolean {
  if (oneString(fields, probeField.name) !== probeField.value) return false
  return req.headers['sec-fetch-site'] === 'same-origin' && req.headers.cookie === undefined
}
