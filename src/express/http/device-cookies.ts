import type { Request, Response } from 'express'
import type { Domain } from '../../challenge/domain.js'
import type { BrowserDevice, Trust } from '../../challenge/proofs/devices.js'
import { hostFunction } from '../../lib/host-function.js'
import type { Awaitable } from '../../lib/promises.js'
import { crossesSites } from '../host/session.js'
import type { HttpSettings } from '../settings.js'
import { browserLabel } from './browser-label.js'
import { cookiesIn, cookiesSetBy } from './cookie-headers.js'
import type { RequestContext } from './request-body.js'

// The prefix makes browsers refuse it from other hosts, subdomains and plain HTTP (RFC 6265bis, 4.1.3.2).
const prefix = '__Host-two-factor-device-'
/** More people hardly share a browser, and a server takes no headers of any length. */
const maxAccounts = 5
const maxLabelLength = 100

/**
 * The cookies by which a browser is recognized, one for each account, so that people who share a browser take nothing
 * from each other. The guard never reads them.
 */
export function createDeviceCookies(
  { devices, purposes }: Pick<Domain, 'devices' | 'purposes'>,
  { allowedOrigins, trustedDevices }: Pick<HttpSettings, 'allowedOrigins' | 'trustedDevices'>,
) {
  const labelOf = trustedDevices?.label ? hostFunction(trustedDevices.label) : browserLabel
  const namesOf = (subject: string) => devices.namesFor(subject).map((ending) => prefix + ending)

  return {
    /** Whether a browser may stand in for the code at this purpose. */
    serves(name: string): boolean {
      const purpose = purposes.find(name)
      return purpose?.trustedDevice === true && !purpose.once
    },

    /** What the browser of this request is trusted with. */
    trustIn(req: Request): Trust {
      const label: unknown = labelOf(req)
      if (label === undefined || label === '') return {}
      if (typeof label !== 'string') throw new TypeError('trustedDevices.label must return a string')
      return { label: label.slice(0, maxLabelLength) }
    },

    /** The browser of this request, as this subject is known in it. `endedAt`: from the record of the subject, where it is in hand. */
    open(req: Request, subject: string, endedAt?: () => Awaitable<number>): BrowserDevice {
      const names = namesOf(subject)
      const own = shownIn(req).filter(({ name }) => names.includes(name))
      return devices.open(
        subject,
        own.map(({ value }) => value),
        endedAt,
      )
    },

    /** Sets what the browser keeps from now on, where it does not keep what it has, and clears what is one too many. */
    keep(
      { req, res }: Pick<RequestContext, 'req' | 'res'>,
      subject: string,
      token: string | undefined,
    ): void {
      if (token === undefined || res.headersSent) return
      // A front end on another site gets no cookie that is bound to this one: as strict as the session, which comes along.
      const sameSite = allowedOrigins.length > 0 && crossesSites(req) ? 'none' : 'lax'
      const attributes = { path: '/', secure: true, httpOnly: true, sameSite } as const
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

    /** Takes that out of the response again, where it has not gone out already. */
    takeBack(res: Response): void {
      if (res.headersSent) return
      // The cookies of the host stay.
      const others = cookiesSetBy(res).filter((line) => !isOurs(line))
      res.setHeader('Set-Cookie', others)
    },
  }
}

/** Whether a cookie is ours, by its name or its line. */
const isOurs = (cookie: string) => cookie.startsWith(prefix)

/** The device cookies of all accounts in a request. */
const shownIn = (req: Request) => cookiesIn(req).filter(({ name }) => isOurs(name))
