import type { Request } from 'express'
import type { OnFile } from '../../challenge/reach/destinations.js'
import { ignoreRejection } from '../../lib/promises.js'
import type { Warn } from './warnings.js'

/** Requests for whose pending user `phone` is called. An app that expects no such call is not called forever. */
const maxRequests = 5

export type PendingUserCheck = ReturnType<typeof createPendingUserCheck>

const isPending = (name: string) =>
  /pending|2fa|mfa|two.?factor|pre.?auth/i.test(name) && /user|account|subject|id$/i.test(name)

/** A member of the session may have a name that a user has typed. */
const loggable = (name: string): string => name.slice(0, 100).replaceAll(/[^\w$-]/g, '_')

/**
 * Creates the check that `subject` returns the user who has given only the password. Otherwise no code is ever sent, and
 * the sign-in starts again. An app in which `subject` has returned any user is not suspected, nor is a session without a
 * pending user who has a number.
 */
export function createPendingUserCheck(
  numbersOf: (req: Request, subject: string) => Promise<OnFile>,
  hint: Warn,
) {
  let isSuspect = true
  let requests = 0
  let last: WeakRef<Request> | undefined

  async function compare(req: Request): Promise<void> {
    for (const [name, value] of pendingIn(req)) {
      const hasNumber = Object.keys(await numbersOf(req, value)).length > 0
      if (hasNumber && isSuspect) hint('TWO_FACTOR_PENDING_IGNORED', `req.session.${loggable(name)}`)
    }
  }

  return {
    /** `subject` has returned a user. */
    identified(): void {
      isSuspect = false
    },
    /** `subject` has returned nothing. */
    anonymous(req: Request): void {
      if (!isSuspect || last?.deref() === req || pendingIn(req).length === 0) return
      last = new WeakRef(req)
      requests += 1
      // The app may have refused the first one because its password was given too long ago. `phone` may throw for an
      // account that is not signed in.
      if (requests > 1 && requests <= maxRequests) ignoreRejection(compare(req))
    },
  }
}

/** Returns the members of the session whose name says that they contain a pending user. */
function pendingIn(req: Request): readonly (readonly [name: string, subject: string])[] {
  const { session } = req as Request & { session?: object | null }
  return Object.entries(session ?? {}).flatMap(([name, value]) => {
    const id: unknown = Object(value).id ?? value
    const isId = (typeof id === 'string' && id !== '') || typeof id === 'number'
    return isPending(name) && isId ? [[name, String(id)] as const] : []
  })
}
