import type { Request } from 'express'
import { isName } from '../../challenge/store-cause.js'
import type { Emit } from '../../events.js'
import type { TotpSecret } from '../../lib/totp.js'

/** The app of an account: its secret, or why it cannot be read. Both are absent for an account without an app. */
export interface AppOnFile {
  readonly secret?: TotpSecret | undefined
  readonly failure?: unknown
}

/** The secret on file has another form than `authenticator.secretOf` may return. */
export class InvalidSecret extends TypeError {}

/**
 * Returns the app of an account. A secret that cannot be read makes only the app unavailable, and emits one event per
 * request.
 */
export function createAppOf(
  secretOf: ((req: Request, subject: string) => Promise<TotpSecret | undefined>) | undefined,
  emit: Emit,
): (req: Request, subject: string) => Promise<AppOnFile> {
  const reported = new WeakSet<Request>()
  return async (req, subject) => {
    try {
      return { secret: await secretOf?.(req, subject) }
    } catch (failure) {
      if (!reported.has(req)) {
        reported.add(req)
        emit({ type: 'factor.unreadable', kind: 'app', subject, reason: errorNameOf(failure) })
      }
      return { failure }
    }
  }
}

/** An error of the app may quote the secret, so that only its code or its class leaves this function. */
function errorNameOf(failure: unknown): string {
  if (failure instanceof InvalidSecret) return 'invalid-secret'
  const { code, name }: Readonly<Record<string, unknown>> = Object(failure)
  return [code, name].find(isName) ?? 'unknown'
}
