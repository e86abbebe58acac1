import type { Request, Response } from 'express'
import type { Body } from './request-body.js'

/** One request and what it brought: the body of a POST, the query of a GET, never both. */
export interface RequestContext {
  readonly req: Request
  readonly res: Response
  readonly fields: Body
}
