import { type Request, Router } from 'express'
import type { Sandbox } from 'express-two-factor/sandbox'
import type { ActivityLog } from './activity.js'
import type { Guesses } from './guesses.js'

/** Data that the demo page shows beside the bank. All of it is measured, not simulated. */
export interface StageParts extends Pick<Sandbox, 'inbox' | 'inboxUrl'> {
  readonly activity: ActivityLog
  readonly guesses: Guesses
  /** Limits in force, from `tf.describeLimits()`. */
  readonly limits: string
}

const maxMessages = 6
/** Interval of updates, because a thousand guesses are a thousand changes. */
const everyMs = 100
/** Interval of updates without a change, because codes expire. */
const expiryMs = 10_000

/** Sends the activity to the demo page, `public/index.html` (server-sent events). */
export function stageRoutes({ activity, inbox, inboxUrl, guesses, limits }: StageParts): Router {
  const router = Router()
  const limitsByName = Object.fromEntries(
    [...limits.matchAll(/`(\w+)` \| (.+) \|/g)].map(([, name, value]) => [name, value]),
  )
  const picture = () => {
    const { answers = [], ...rest } = guesses.last() ?? {}
    // A 422 is the response to a code that was checked and is wrong. All other guesses were refused without a check.
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

/** Returns the value of a switch of the demo page. Switches are cookies, because they apply to each page of the bank. */
export function switchOf(req: Request, name: string): string | undefined {
  return new RegExp(`(?:^|; )${name}=(\\w+)`).exec(req.headers.cookie ?? '')?.[1]
}
