import type { Response } from 'express'
import type { Sessions } from '../host/sessions.js'
import { cookiesSetBy } from './cookie-headers.js'
import { probeIn } from './cookies.js'
import { statusOf } from './problems.js'
import type { RequestContext } from './request-body.js'
import type { HandlerResult } from './responder.js'

// A double click posts a form twice if no script prevents it. The browser shows the response to the second post and
// drops the first one with the cookie of the renewed session. Therefore the second post receives the response to the
// first.

/** The response to a form, once it is written. */
interface CompletedSubmission {
  readonly reply: HandlerResult
  readonly res: Response
}

/** A post, or two equal posts. */
export interface Submission {
  /** Resolves with the response to an equal form in progress, if it fits both. */
  readonly first: Promise<CompletedSubmission | undefined> | undefined
  /** Reports the response to this post, or that there was none. */
  complete(answered?: CompletedSubmission): void
}

/** Tracks the forms in progress of this process. */
export function createSubmissionCoalescer({ find, bearer }: Pick<Sessions, 'find' | 'bearer'>) {
  const underWay = new Map<string, Promise<CompletedSubmission | undefined>>()

  /**
   * Returns a key that is equal for two posts of one page in one browser only. All cookies must be equal: an attacker
   * who planted the session may post the form at the same time as its owner, and must not receive the renewed session
   * (session fixation).
   */
  function keyOf({ req, fields }: RequestContext): string | undefined {
    const browser = probeIn(req) ?? find(req)
    if (bearer || browser === undefined) return undefined
    return JSON.stringify([browser, req.headers.cookie, req.originalUrl, fields])
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
  // The app's response cannot be repeated, so the second post runs by itself.
  if (reply.reply === 'answered') return false
  // It may have been given up because the client disconnected.
  return reply.reply !== 'problem' || statusOf(reply.problem) < 500
}

/** Returns the result for the second response: the location of the first, with its cookies. */
export function repeated({ reply, res: first }: CompletedSubmission, res: Response): HandlerResult {
  if (reply.reply !== 'done') return reply
  for (const cookie of cookiesSetBy(first)) res.append('Set-Cookie', cookie)
  const location = first.getHeader('location')
  return location === undefined ? reply : { ...reply, location: () => String(location) }
}
