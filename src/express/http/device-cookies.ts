import type { Request, Response } from 'express'
import type { Domain } from '../../challenge/domain.js'
import type { BrowserDevice, Trust } from '../../challenge/proofs/devices.js'
import { browserLabel } from '../../lib/browser-label.js'
import { hostFunction } from '../../lib/host-function.js'
import type { HttpSettings } from '../settings.js'
import { cookiesIn, cookiesSetBy } from './cookie-headers.js'
import type { RequestContext } from './request-body.js'
import { sessionCookieOf } from './session-cookie.js'

// With this prefix, browsers refuse the cookie from other hosts, subdomains and plain HTTP (RFC 6265bis, 4.1.3.2).
const prefix = '__Host-two-factor-device-'
/** Few people share a browser, and servers limit the length of headers. */
const maxAccounts = 5
const maxBrowserLabelLength = 100

/**
 * Creates access to the cookies that identify a browser, one per account, so that people who share a browser do not
 * affect each other. The guard never reads them.
 */
export function createDeviceCookies(
  { devices, purposes }: Pick<Domain, 'devices' | 'purposes'>,
  { trustedDevices }: Pick<HttpSettings, 'trustedDevices'>,
) {
  const labelOf = trustedDevices?.label ? hostFunction(trustedDevices.label) : browserLabel
  const namesOf = (subject: string) => devices.namesFor(subject).map((ending) => prefix + ending)

  return {
    /** Returns whether a browser can replace the code for this purpose. */
    serves(name: string): boolean {
      const purpose = purposes.find(name)
      return purpose?.trustedDevice === true && !purpose.once
    },

    /** Returns the data of a new trusted browser. */
    trustIn(req: Request): Trust {
      const label: unknown = labelOf(req)
      if (label === undefined || label === '') return {}
      if (typeof label !== 'string') throw new TypeError('trustedDevices.label must return a string')
      return { label: label.slice(0, maxBrowserLabelLength) }
    },

    /** Opens the browser of this request for this account. Pass `endedAt` if the account's record is already open. */
    open(req: Request, subject: string, endedAt?: () => Promise<number>): BrowserDevice {
      const names = namesOf(subject)
      const own = shownIn(req).filter(({ name }) => names.includes(name))
      return devices.open(
        subject,
        own.map(({ value }) => value),
        endedAt,
      )
    },

    /** Sets the new cookie of the browser, if it changes, and clears one too many. */
    keep(
      { req, res }: Pick<RequestContext, 'req' | 'res'>,
      subject: string,
      token: string | undefined,
    ): void {
      if (token === undefined || res.headersSent) return
      // A front end on another site, and a frame there, receive no cookie that is limited to this site. The cookie is as
      // strict as that of the session.
      const { crossesSites, partitioned } = sessionCookieOf(req, res)
      // Posts of other sites that are not in `allowedOrigins` were refused.
      const isFromFrontEnd = req.headers['sec-fetch-site'] === 'cross-site'
      const sameSite = crossesSites || partitioned || isFromFrontEnd ? 'none' : 'lax'
      const attributes = { path: '/', secure: true, httpOnly: true, sameSite, partitioned } as const
      const [name = '', ...earlier] = namesOf(subject)
      const others = shownIn(req).filter((one) => one.name !== name)
      const outdated = others.filter((one) => earlier.includes(one.name))
      const ofOthers = others.filter((one) => !earlier.includes(one.name))
      ofOthers.sort((one, other) => devices.timeIn(other.value) - devices.timeIn(one.value))
      for (const excess of [...outdated, ...ofOthers.slice(maxAccounts - 1)]) {
        res.clearCookie(excess.name, attributes)
      }
      res.cookie(name, token, { ...attributes, maxAge: devices.lifetimeMs })
    },

    /** Removes the cookie from a response that is not sent yet. */
    takeBack(res: Response): void {
      if (res.headersSent) return
      // The cookies of the app stay.
      const others = cookiesSetBy(res).filter((line) => !isDeviceCookie(line))
      res.setHeader('Set-Cookie', others)
    },
  }
}

/** Returns whether a cookie name or line is that of a device cookie. */
const isDeviceCookie = (cookie: string) => cookie.startsWith(prefix)

/** Returns the device cookies of all accounts in a request. */
const shownIn = (req: Request) => cookiesIn(req).filter(({ name }) => isDeviceCookie(name))
