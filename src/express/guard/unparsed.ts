import type { Request } from 'express'
import { EmptyField } from '../../challenge/proofs/bound.js'
import { optionError } from '../../lib/options.js'
import { isPlainObject } from '../../lib/plain-object.js'
import type { Warn } from '../host/warnings.js'
import { hasBody, invalid, mediaTypeOf } from '../http/request-body.js'

/** The parser that Express has for a content type. */
const parsers: ReadonlyMap<string, string> = new Map([
  ['application/json', 'express.json()'],
  ['application/x-www-form-urlencoded', 'express.urlencoded({ extended: false })'],
])

/**
 * What to throw for a failure of `bind` or `describe`: where no parser ran before the guard, that is why; in a body
 * that was parsed, an empty field is the visitor's.
 */
export type ExplainFailure = (req: Request, error: unknown) => unknown

export function createExplainFailure(warn: Warn): ExplainFailure {
  return (req, error) => {
    if (error instanceof EmptyField && wasParsed(req)) return invalid(error.complaint)
    const parser = parsers.get(mediaTypeOf(req))
    // Another type is the client's mistake, and a body that was read is no missing parser.
    if (!(error instanceof TypeError) || parser === undefined || req.readableDidRead) return error
    warn('TWO_FACTOR_NOT_PARSED')
    const write = `app.${req.method.toLowerCase()}(path, ${parser}, tf.requireTwoFactor({ … }), handler)`
    const why = `${error.message.replace(/(?<![.?])$/, '.')} The body is not parsed before the guard`
    return Object.assign(optionError(`${why}: write ${write}`), { cause: error })
  }
}

/** A parser that passes over a body of another type may leave an empty object. */
function wasParsed(req: Request): boolean {
  if (!isPlainObject(req.body)) return false
  return req.readableDidRead || !hasBody(req) || Object.keys(req.body).length > 0
}
