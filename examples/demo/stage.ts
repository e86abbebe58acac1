import { type Request, Router } from 'express'
import type { Sandbox } from 'express-two-factor/sandbox'
import type { ActivityLog } from './activity.js'
import type { Guesses } from './guesses.js'

/** What the stage shows besides the bank itself. All of it is what really happened. */
export interface StageParts extends Pick<Sandbox, 'inbox' | 'inboxUrl'> {
  readonly activity: ActivityLog
  readonly guesses: Guesses
  /** The limits in force, as `tf.describeLimits()` prints them. */
  readonly limits: string
}

const maxMessages = 6
/** A thousand guesses are a thousand changes. */
const everyMs = 100
/** Codes expire without a change. */
const expiryMs = 10_000

/** The page of the stage is `public/index.html`; this tells it what happens (server-sent events). */
export function stageRoutes({ activity, inbox, inboxUrl, guesses, limits }: StageParts): Router {
  const router = Router()
  const limitsByName = Object.fromEntries(
    [...limits.matchAll(/`(\w+)` \| (.+) \|/g)].map(([, name, value]) => [name, value]),
  )
  const picture = () => {
    const { answers = [], ...rest } = guesses.last() ?? {}
    // 422 is the answer to a code that was checked and is wrong; the others were refused before.
    const dots = answers.map((answer) => (answer.startsWith('422') ? 'x' : '.')).join('')
    return {
      limits: limitsByName,
      activity: activity.list(),
      messages: inbox.list().slice(0, maxMessages),
      guesses: { dots, ...rest },
    }
  }

  router.get('/inbox', (_req, res) => res.redirect(inboxUrl))
  router.get('/stage/events', (_req, res) => {
    let timer: NodeJS.Timeout | undefined
    const send = () => {
      timer = undefined
      res.write(`data: ${JSON.stringify(picture())}\n\n`)
    }
    const plan = () => {
      timer ??= setTimeout(send, everyMs)
    }
    res.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    send()
    activity.changes.on('change', plan)
    const expiry = setInterval(plan, expiryMs)
    res.once('close', () => {
      clearInterval(expiry)
      activity.changes.off('change', plan)
      clearTimeout(timer)
    })
  })
  return router
}

/** What a switch of the stage is set to. They are cookies, so that they hold for each page of the bank. */
export function switchOf(req: Request, name: string): string | undefined {
  return new RegExp(`(?:^|; )${name}=(\\w+)`).exec(req.headers.cookie ?? '')?.[1]
}
