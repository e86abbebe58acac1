import type { Response } from 'express'
import type { Sessions } from '../host/sessions.js'
import { cookiesSetBy } from './cookie-headers.js'
import { probeIn } from './cookies.js'
import { statusOf } from './problems.js'
import type { RequestContext } from './request-body.js'
import type { HandlerResult } from './responder.js'

// A double click posts a form twice, where no script holds the second one back. The browser shows what the second is
// answered, and drops the first with the cookie of the renewed session. So the second is answered what the first is.

/** What a form was answered, once that is written. */
interface CompletedSubmission {
  readonly reply: HandlerResult
  readonly res: Response
}

/** One of two, or the only one. */
export interface Submission {
  /** Resolves with what the same form was answered that was under way already, where that will do for both. */
  readonly first: Promise<CompletedSubmission | undefined> | undefined
  /** Says what this one was answered, or that it was not. */
  complete(answered?: CompletedSubmission): void
}

/** The forms that are under way in this process. */
export function createSubmissionCoalescer({ find, bearer }: Pick<Sessions, 'find' | 'bearer'>) {
  const underWay = new Map<string, Promise<CompletedSubmission | undefined>>()

  /**
   * The same for two posts of one page in one browser alone. Session fixation: whoever has planted the session may post
   * the same form beside its owner, and must not get the renewed one, so that all cookies have to be the same.
   */
  function keyOf({ req, fields }: RequestContext): string | undefined {
    const browser = probeIn(req) ?? find(req)
    if (bearer || browser === undefined) return undefined
    return JSON.stringify([browser, req.headers.cookie, req.baseUrl + req.path, fields])
  }

  return {
    join(context: RequestContext): Submission | undefined {
      const key = keyOf(context)
      if (key === undefined) return undefined
      const first = underWay.get(key)
      if (first !== undefined) return { first, complete: () => undefined }
      let complete: Submission['complete'] = () => undefined
      const answered = new Promise<CompletedSubmission | undefined>((resolve) => {
        complete = (given) => {
          underWay.delete(key)
          resolve(given && isForBoth(given.reply) ? given : undefined)
        }
      })
      underWay.set(key, answered)
      return { first, complete }
    },
  }
}

function isForBoth(reply: HandlerResult): boolean {
  // What it said cannot be said again: the second asks for itself.
  if (reply.reply === 'answered') return false
  // It may have been given up, since nobody waited for it any more.
  return reply.reply !== 'problem' || statusOf(reply.problem) < 500
}

/** The same for a second response: it leads where the first does, with the cookies that came with that. */
export function repeated({ reply, res: first }: CompletedSubmission, res: Response): HandlerResult {
  if (reply.reply !== 'done') return reply
  for (const cookie of cookiesSetBy(first)) res.append('Set-Cookie', cookie)
  const location = first.getHeader('location')
  return location === undefined ? reply : { ...reply, location: () => String(location) }
}
