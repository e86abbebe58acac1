import type { Request, Response } from 'express'
import type { Device, Devices, DeviceToken } from '../../challenge/proofs/devices.js'
import type { Purposes } from '../../challenge/purposes.js'

/** The cookie by which a browser is recognized. The guard never reads it. */
export interface DeviceCookies {
  /** Whether a browser may stand in for the code at this purpose. */
  serves(purpose: string): boolean
  /** The browser of this request. Reads the store at once. */
  open(req: Request, subject: string): BrowserOfRequest
  /** Whether the request carries a token: without one the store is not read. */
  isShown(req: Request): boolean
  has(req: Request, subject: string): Promise<boolean>
}

/** A success with more than its grant to record. */
export interface Success {
  readonly trust?: boolean
  /** Tag of the way by which the code came. */
  readonly way?: string
}

export interface BrowserOfRequest extends Pick<Device, 'known' | 'lastWay' | 'isTrusted'> {
  /** Records a success in this browser and sets its cookie. Never rejects: without a record it is not known. */
  succeed(res: Response, success: Success): Promise<void>
  /** The same where it stands in for the code; false when it is trusted no more. Rejects without a record. */
  standIn(res: Response): Promise<boolean>
  /** Undoes what either did in the same response. */
  undo(res: Response): Promise<void>
}

const tokenPattern = /^[\w-]{43}$/

export function createDeviceCookies(parts: {
  readonly devices: Devices
  readonly purposes: Purposes
  readonly namespace: string
  readonly now: () => number
}): DeviceCookies {
  const { devices, purposes, namespace, now } = parts
  // The prefix makes browsers refuse it from other hosts, subdomains and plain HTTP (RFC 6265bis, 4.1.3.2).
  const cookieName = `__Host-two-factor-device${namespace === '' ? '' : `-${namespace}`}`

  function tokenOf(req: Request): string | undefined {
    const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim())
    const tokens = pairs
      .filter((pair) => pair.startsWith(`${cookieName}=`))
      .map((pair) => pair.slice(cookieName.length + 1))
    return tokens.find((token) => tokenPattern.test(token))
  }

  /** Removes the cookie from a response; the host's own stay. */
  function drop(res: Response): void {
    const lines = [res.getHeader('Set-Cookie') ?? []].flat().map(String)
    res.setHeader(
      'Set-Cookie',
      lines.filter((line) => !line.startsWith(`${cookieName}=`)),
    )
  }

  return {
    serves(name) {
      const purpose = purposes.find(name)
      return purpose?.trustedDevice === true && !purpose.once
    },
    isShown: (req) => tokenOf(req) !== undefined,

    open(req, subject) {
      const device = devices.open(subject, tokenOf(req))
      let isSet = false

      function keep(res: Response, kept: DeviceToken | undefined): void {
        if (kept === undefined || res.headersSent) return
        const maxAge = kept.expiresAt - now()
        res.cookie(cookieName, kept.token, {
          maxAge,
          path: '/',
          secure: true,
          httpOnly: true,
          sameSite: 'lax',
        })
        isSet = true
      }

      return {
        known: device.known,
        lastWay: device.lastWay,
        isTrusted: device.isTrusted,
        async succeed(res, { trust = false, way }) {
          // A full or failing store must not refuse the sign-in: this browser is a stranger next time.
          const kept = device.succeed(trust, way).then((token) => keep(res, token))
          await kept.catch(() => undefined)
        },
        async standIn(res) {
          const stood = await device.standIn()
          keep(res, stood?.kept)
          return stood !== undefined
        },
        async undo(res) {
          const isDelivered = isSet && res.headersSent
          if (!res.headersSent) drop(res)
          await device.undo(isDelivered)
        },
      }
    },

    async has(req, subject) {
      const token = tokenOf(req)
      return token !== undefined && devices.open(subject, token).isTrusted()
    },
  }
}
