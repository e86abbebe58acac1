import type { Request } from 'express'
import { isName } from '../../challenge/store-cause.js'
import type { Emit } from '../../events.js'

/** A factor on file that your app returns, or why it cannot be read. Both are absent for an account without it. */
export interface FactorOnFile<Found> {
  readonly found?: Found | undefined
  readonly failure?: unknown
}

/** The secret on file has another form than `authenticator.secretOf` may return. */
export class InvalidSecret extends TypeError {}

/**
 * Returns the function that reads the app or the passkeys of an account. An unreadable factor makes only itself
 * unavailable, and emits one event per request.
 */
export function createFactorOf<Found>(
  kind: 'app' | 'passkey',
  read: ((req: Request, subject: string) => Promise<Found | undefined>) | undefined,
  emit: Emit,
): (req: Request, subject: string) => Promise<FactorOnFile<Found>> {
  const reported = new WeakSet<Request>()
  return async (req, subject) => {
    try {
      return { found: await read?.(req, subject) }
    } catch (failure) {
      if (!reported.has(req)) {
        reported.add(req)
        emit({ type: 'factor.unreadable', kind, subject, reason: errorNameOf(failure) })
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
