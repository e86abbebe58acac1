import type { Request, Response } from 'express'
import type { Devices, DeviceToken } from '../../challenge/proofs/devices.js'
import type { Purposes } from '../../challenge/purposes.js'

/** The prefix makes browsers refuse it from other hosts, subdomains and plain HTTP (RFC 6265bis, 4.1.3.2). */
const cookieName = '__Host-two-factor-device'

/** Where a browser keeps its trust. Asked at start alone; the guard never looks at it. */
export interface DeviceCookies {
  /** Whether this browser may stand in for the code. Its token is replaced then. */
  admits(req: Request, res: Response, subject: string, purpose: string): Promise<boolean>
  /** Whether a browser may stand in for the code at this purpose. */
  serves(purpose: string): boolean
  /** Responder the id of the device, when the purpose allows one. */
  trust(res: Response, subject: string, purpose: string): Promise<string | undefined>
  /** Takes back what `trust` did in the same answer. */
  distrust(res: Response, subject: string, id: string): Promise<void>
  has(req: Request, subject: string): Promise<boolean>
}

export function createDeviceCookies(parts: {
  readonly devices: Devices
  readonly purposes: Purposes
  readonly now: () => number
}): DeviceCookies {
  const { devices, purposes, now } = parts
  const serves = (name: string) => {
    const purpose = purposes.find(name)
    return purpose?.trustedDevice === true && !purpose.once
  }

  function keep(res: Response, { token, endsAt }: DeviceToken): void {
    const maxAge = Math.floor((endsAt - now()) / 1_000)
    res.append(
      'Set-Cookie',
      `${cookieName}=${token}; Max-Age=${maxAge}; Path=/; Secure; HttpOnly; SameSite=Lax`,
    )
  }

  return {
    serves,
    async admits(req, res, subject, purpose) {
      const token = serves(purpose) ? tokenOf(req) : undefined
      const used = token === undefined ? undefined : await devices.use(subject, token)
      if (used === undefined) return false
      if (used.next !== undefined) keep(res, used.next)
      return true
    },
    async trust(res, subject, purpose) {
      if (!serves(purpose)) return undefined
      const { id, ...token } = await devices.trust(subject)
      keep(res, token)
      return id
    },
    async distrust(res, subject, id) {
      if (!res.headersSent) drop(res)
      await devices.revoke(subject, id)
    },
    async has(req, subject) {
      const token = tokenOf(req)
      return token !== undefined && devices.has(subject, token)
    },
  }
}

function tokenOf(req: Request): string | undefined {
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1)
}

/** Takes the cookie off an answer; the host's own stay. */
function drop(res: Response): void {
  const set = [res.getHeader('Set-Cookie') ?? []].flat().map(String)
  res.setHeader(
    'Set-Cookie',
    set.filter((line) => !line.startsWith(`${cookieName}=`)),
  )
}
