import type { Request } from 'express'
import { EmptyField, parserQuestion } from '../../challenge/proofs/stored-grant.js'
import { TwoFactorError } from '../../errors.js'
import { optionError } from '../../lib/options.js'
import { isTypeError } from '../../lib/realms.js'
import type { Warn } from '../host/warnings.js'
import { hasBody, invalid, isForm, parserFor, wasParsed } from '../http/request-body.js'
import { isRepeatable } from '../http/site-paths.js'
import { findMisspelt } from './details.js'
import { routeOf } from './missing-body.js'

/**
 * Creates the function that returns the error for a failure of `bind` or `describe`. In a parsed body, an empty field is
 * the client's mistake, like a body that is no object or has no fields, or a type that the app's parsers skip. If no parser
 * ran before the guard, that is the cause.
 */
export function createBodyErrors(
  { hint, warn }: { readonly hint: Warn; readonly warn: Warn },
  bind: ((req: Request) => unknown) | undefined,
): (req: Request, error: unknown) => unknown {
  function explainEmptyField(req: Request, { complaint }: EmptyField): TwoFactorError {
    const misspelt = bind && findMisspelt(bind(req), isRepeatable(req) ? req.query : req.body)
    if (misspelt !== undefined && misspelt.length > 0)
      hint('TWO_FACTOR_BIND_EMPTY', `${routeOf(req)}: ${misspelt.join(', ')}`)
    return invalid(complaint)
  }

  function explainUnparsedBody(req: Request, error: TypeError): Error {
    const parser = parserFor(req)
    // A parser of Express adds this member also if it skips the body. A client must not cause errors or findings of the
    // app.
    const isSkipped = Object.hasOwn(req, 'body')
    if (parser === undefined) {
      const tell = isSkipped ? hint : warn
      tell('TWO_FACTOR_NOT_PARSED', `${routeOf(req)}: ${error.message}`)
      return new TwoFactorError('unsupported_media_type', {
        message: 'Send the fields as JSON or as a form.',
      })
    }
    // A parser has read a list or null.
    if (req.readableDidRead && typeof req.body === 'object') return invalid('The body must be an object.')
    if (isSkipped) {
      hint('TWO_FACTOR_NOT_PARSED', `${routeOf(req)} needs ${parser.hosts}`)
      const message = isForm(req) ? 'Send the fields as JSON.' : 'Send the fields as a form.'
      return new TwoFactorError('unsupported_media_type', { message })
    }
    warn('TWO_FACTOR_NOT_PARSED', routeOf(req))
    const write = `app.${req.method.toLowerCase()}(path, ${parser.hosts}, tf.requireTwoFactor({ … }), handler)`
    return Object.assign(optionError(`${causeOf(error)} write ${write}`), { cause: error })
  }

  return function explainBodyError(req, error) {
    const isUnparsed = isTypeError(error) && !wasParsed(req) && hasBody(req)
    if (isUnparsed) return explainUnparsedBody(req, error)
    return error instanceof EmptyField && (wasParsed(req) || error.isText)
      ? explainEmptyField(req, error)
      : error
  }
}

function causeOf({ message }: TypeError): string {
  return message.endsWith(parserQuestion)
    ? `${message} If not,`
    : `${message.replace(/(?<![.?])$/, '.')} The body is not parsed before the guard:`
}
