import type { Request } from 'express'
import { EmptyField } from '../../challenge/proofs/stored-grant.js'
import { TwoFactorError } from '../../errors.js'
import { ignoreRejection } from '../../lib/promises.js'
import { isError, isTypeError } from '../../lib/realms.js'
import { hasBody, hasUnknownType, invalid, isFilled } from '../http/request-body.js'
import { isRepeatable } from '../http/site-paths.js'

/**
 * Returns the refusal of a request without a body, if `read` failed with `error` for that reason. A parser leaves such a
 * body undefined (Express 5), and the mistake is the client's.
 */
export function refuseMissingBody(req: Request, error: unknown, read: () => unknown): Error | undefined {
  if (!isTypeError(error) || isRepeatable(req) || hasBody(req) || isFilled(req)) return undefined
  if (!(error instanceof EmptyField) && !isAboutBody(req, error, read)) return undefined
  if (hasUnknownType(req)) {
    return new TwoFactorError('unsupported_media_type', { message: 'Send the fields as JSON or as a form.' })
  }
  return error instanceof EmptyField ? invalid(error.complaint) : invalid('The body is missing.')
}

/** Returns whether `read` fails in another way, or not at all, on an empty body. Any other mistake is the app's. */
function isAboutBody(req: Request, error: TypeError, read: () => unknown): boolean {
  const { body } = req
  if (body !== undefined) return false
  req.body = {}
  try {
    ignoreRejection(read())
    return true
  } catch (other) {
    return isError(other) && other.message !== error.message
  } finally {
    req.body = body
  }
}

/** Returns method and path for a warning: as the route declares it, because a parameter may be personal data. */
export function routeOf({ method, baseUrl, path, route }: Request): string {
  return `${method} ${baseUrl}${route?.path ?? path}`
}
