import type { Request } from 'express'
import { optionError } from '../../lib/options.js'
import type { Warn } from '../host/warnings.js'
import { mediaTypeOf } from '../http/request-body.js'

/** The parser that Express has for a content type. */
const parsers: ReadonlyMap<string, string> = new Map([
  ['application/json', 'express.json()'],
  ['application/x-www-form-urlencoded', 'express.urlencoded({ extended: false })'],
])

/** What to throw for a failure of `bind` or `describe`: where no parser ran before the guard, that is why. */
export type ExplainFailure = (req: Request, error: unknown) => unknown

export function createExplainFailure(warn: Warn): ExplainFailure {
  return (req, error) => {
    const parser = parsers.get(mediaTypeOf(req))
    // Another type is the client's mistake, and a body that was read is no missing parser.
    if (!(error instanceof TypeError) || parser === undefined || req.readableDidRead) return error
    warn('TWO_FACTOR_NOT_PARSED')
    const write = `app.${req.method.toLowerCase()}(path, ${parser}, tf.requireTwoFactor({ … }), handler)`
    const why = `${error.message.replace(/(?<![.?])$/, '.')} The body is not parsed before the guard`
    return Object.assign(optionError(`${why}: write ${write}`), { cause: error })
  }
}
