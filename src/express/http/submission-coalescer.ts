import type { Response } from 'express'
import type { Sessions } from '../host/sessions.js'
import { cookiesSetBy } from './cookie-headers.js'
import { probeIn } from './cookies.js'
import { statusOf } from './problems.js'
import type { RequestContext } from './request-body.js'
import type { Reply } from './responder.js'

// A double click posts a form twice, where no script holds the second one back. The browser shows what the second is
// answered, and drops the first with the cookie of the renewed session. So the second is answered what the first is.

/** What a form was answered, once that is written. */
interface Answered {
  readonly reply: Reply
  readonly res: Response
}

/** One of two, or the only one. */
export interface Twin {
  /** Resolves with what the same form was answered that was under way already, where that will do for both. */
  readonly first: Promise<Answered | undefined> | undefined
  /** Says what this one was answered, or that it was not. */
  tell(answered?: Answered): void
}

/** The forms that are under way in this process. */
export function createTwins({ find, bearer }: Pick<Sessions, 'find' | 'bearer'>) {
  const underWay = new Map<string, Promise<Answered | undefined>>()

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
    enter(context: RequestContext): Twin | undefined {
      const key = keyOf(context)
      if (key === undefined) return undefined
      const first = underWay.get(key)
      if (first !== undefined) return { first, tell: () => undefined }
      let tell: Twin['tell'] = () => undefined
      const answered = new Promise<Answered | undefined>((resolve) => {
        tell = (given) => {
          underWay.delete(key)
          resolve(given && isForBoth(given.reply) ? given : undefined)
        }
      })
      underWay.set(key, answered)
      return { first, tell }
    },
  }
}

function isForBoth(reply: Reply): boolean {
  // What it said cannot be said again: the second asks for itself.
  if (reply.reply === 'answered') return false
  // It may have been given up, since nobody waited for it any more.
  return reply.reply !== 'problem' || statusOf(reply.problem) < 500
}

/** The same for a second response: it leads where the first does, with the cookies that came with that. */
export function repeated({ reply, res: first }: Answered, res: Response): Reply {
  if (reply.reply !== 'done') return reply
  for (const cookie of cookiesSetBy(first)) res.append('Set-Cookie', cookie)
  const location = first.getHeader('location')
  return location === undefined ? reply : { ...reply, location: () => String(location) }
}
