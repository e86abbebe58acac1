import type { Request, Response } from 'express'
import type { ChallengeView } from '../../challenge/commands.js'
import type { PageView } from '../pages/page-view.js'
import type { Pages } from '../pages/pages.js'
import { layProbe } from './cookies.js'
import { type Problem, problemDocument, problemHeaders, statusOf } from './problems.js'

/** Result of a handler. The client's `Accept` header decides how it is sent. */
export type HandlerResult =
  /** For JSON: status, headers and body. For HTML: 303 to `location`. */
  | {
      readonly reply: 'done'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: object
      readonly location: () => string
    }
  /** For JSON: `body`, or the challenge. For HTML: the page. */
  | { readonly reply: 'page'; readonly view: PageView; readonly status?: number; readonly body?: object }
  | { readonly reply: 'problem'; readonly problem: Problem }
  /** A function of the app has responded. */
  | { readonly reply: 'answered' }

export type Responder = ReturnType<typeof createResponder>

/** Sends the result of a handler in the format that the client accepts. */
export function createResponder(pages: Pages) {
  async function sendPage(req: Request, res: Response, status: number, view: PageView): Promise<void> {
    // Before the page is rendered, because a `render` of the app may set its own.
    setHeaders(res, pages.headersOf(view))
    // A CDN that rewrites mail addresses would change what a code confirms.
    if (view.details !== undefined) res.setHeader('Cache-Control', 'no-store, no-transform')
    if (view.probesCookies) layProbe(req, res)
    const html = await pages.html(view, req, res)
    end(res, status, 'text/html; charset=utf-8', html)
  }

  /** Redirects to a page that is loaded with GET, so that a reload posts nothing again. */
  function redirect(res: Response, location: string): void {
    setCommonHeaders(res)
    res.setHeader('Location', location)
    end(res, 303)
  }

  return {
    wantsPage,
    /** Returns whether a user sees the response: as a page, or in the dialog. */
    wantsScreen: (req: Request) => wantsDialog(req) || wantsPage(req),
    redirect,

    /** Sends a result. `view` is called only for a problem that a user sees. */
    async send(
      req: Request,
      res: Response,
      reply: HandlerResult,
      view: (problem: Problem) => Promise<PageView>,
    ): Promise<void> {
      if (reply.reply === 'answered') return
      const page = wantsPage(req)
      if (page && reply.reply === 'done') return redirect(res, reply.location())
      setCommonHeaders(res)
      if (reply.reply === 'page') {
        const { status = 200, body } = reply
        if (page) return sendPage(req, res, status, reply.view)
        if (body !== undefined) return endJson(res, status, body)
        const { challenge, unconfirmed, destinations, basePath, now } = reply.view
        return endJson(res, 200, {
          challenge: challenge ? challengeDocument(challenge, basePath, now) : null,
          ...(unconfirmed && { delivery: 'unconfirmed' }),
          ...(destinations && { destinations }),
          ...(wantsDialog(req) && { html: pages.forDialog(reply.view, req) }),
        })
      }
      if (reply.reply === 'problem') {
        const { problem } = reply
        setHeaders(res, problemHeaders(problem))
        if (page) return sendPage(req, res, statusOf(problem), await view(problem))
        const document = {
          ...problemDocument(problem, pages.detail(problem, req)),
          ...(wantsDialog(req) && { html: pages.forDialog(await view(problem), req) }),
        }
        return end(res, statusOf(problem), 'application/problem+json', JSON.stringify(document))
      }
      setHeaders(res, reply.headers)
      if (reply.body === undefined) return end(res, reply.status)
      return endJson(res, reply.status, reply.body)
    },
  }
}

/**
 * Returns a challenge for the client, without number and code. Besides times it contains waits, because clocks of
 * browsers are wrong, and the URLs of the next requests.
 */
export function challengeDocument(challenge: ChallengeView, basePath: string, now: number): object {
  const { id, purpose, channel, destination, expiresAt, resendAt, attemptsRemaining, channels } = challenge
  return {
    id,
    purpose,
    channel,
    destination,
    expiresAt: isoTime(expiresAt),
    resendAt: isoTime(resendAt),
    attemptsRemaining,
    channels,
    details: challenge.details,
    expiresInMs: Math.max(0, expiresAt - now),
    resendInMs: Math.max(0, resendAt - now),
    verifyUrl: `${basePath}/verify`,
    resendUrl: `${basePath}/resend`,
  }
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Returns whether the dialog sent the request. It receives JSON that contains the screen. */
function wantsDialog({ headers }: Request): boolean {
  return headers.accept === 'application/json;profile=dialog'
}

/** Returns whether the client is a browser that wants a page. */
function wantsPage(req: Request): boolean {
  const { accept } = req.headers
  // Recognises programs without parsing the header.
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return false
  return req.accepts(['json', 'html']) === 'html'
}

function setCommonHeaders(res: Response): void {
  res.setHeader('Cache-Control', 'no-store')
  res.vary('Accept')
}

function setHeaders(res: Response, headers: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
}

function endJson(res: Response, status: number, body: object): void {
  end(res, status, 'application/json; charset=utf-8', JSON.stringify(body))
}

// `res.json` hashes every body for an ETag, and no response here may be cached.
function end(res: Response, status: number, contentType?: string, body = ''): void {
  res.statusCode = status
  if (contentType !== undefined) {
    res.setHeader('Content-Type', contentType)
    res.setHeader('Content-Length', Buffer.byteLength(body))
  }
  res.end(body)
}
