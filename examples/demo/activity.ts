import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import type { RequestHandler } from 'express'
import type { TwoFactorEvent } from 'express-two-factor'

/** One request to the bank, and what happened behind it. */
export interface Activity {
  readonly request: string
  /** Its status, and where it leads. */
  readonly answer: string
  /** Events, and calls to the provider, in their order. */
  readonly steps: readonly string[]
  /** How many alike came one after the other. */
  readonly times: number
}

export interface ActivityLog {
  readonly middleware: RequestHandler
  onEvent(event: TwoFactorEvent): void
  /** Newest first. */
  list(): readonly Activity[]
  /** Changes whenever the list does. */
  revision(): number
  /** How many codes were ever checked. */
  checks(): number
  close(): void
}

/** What the package tells the tracers of its calls. */
interface Call {
  readonly operation?: string
  readonly httpStatus?: number
  readonly result?: string
}

const maxEntries = 40

/** Watches the bank from outside the package: by its requests, events and tracing channels. */
export function createActivityLog(isHidden: (path: string) => boolean): ActivityLog {
  const current = new AsyncLocalStorage<string[]>()
  const entries: Activity[] = []
  let revision = 0
  let checks = 0

  function add(request: string, answer: string, steps: readonly string[]): void {
    revision += 1
    const [last] = entries
    const isLike = last?.request === request && last.answer === answer && last.steps.join() === steps.join()
    if (isLike) entries[0] = { ...last, times: last.times + 1 }
    else entries.unshift({ request, answer, steps, times: 1 })
    entries.splice(maxEntries)
  }

  const noteCall = (context: object) => {
    const { operation, httpStatus, result } = context as Call
    const status = httpStatus === undefined ? '' : ` ${httpStatus}`
    const called = operation === undefined ? 'bank: own code' : `provider: ${operation}${status}`
    current.getStore()?.push(`${called} ${result ?? ''}`)
  }
  const noteCheck = (context: object) => {
    if (current.getStore() !== undefined) checks += 1
    noteCall(context)
  }
  const nothing = () => {}
  const quiet = { start: nothing, end: nothing, asyncStart: nothing, error: nothing }
  const sends = { ...quiet, asyncEnd: noteCall }
  const checking = { ...quiet, asyncEnd: noteCheck }
  const sendChannel = tracingChannel<unknown, object>('express-two-factor:send')
  const checkChannel = tracingChannel<unknown, object>('express-two-factor:check')
  sendChannel.subscribe(sends)
  checkChannel.subscribe(checking)

  return {
    middleware: (req, res, next) => {
      const [path = ''] = req.originalUrl.split('?')
      if (isHidden(path)) return next()
      const steps: string[] = []
      res.once('finish', () => {
        const [location] = res.get('Location')?.split('?') ?? []
        const answer = location === undefined ? `${res.statusCode}` : `${res.statusCode} to ${location}`
        add(`${req.method} ${path}`, answer, steps)
      })
      current.run(steps, next)
    },
    onEvent(event) {
      const code = 'code' in event ? ` ${event.code}` : ''
      current.getStore()?.push(`event: ${event.type}${code}`)
    },
    list: () => entries,
    revision: () => revision,
    checks: () => checks,
    close() {
      sendChannel.unsubscribe(sends)
      checkChannel.unsubscribe(checking)
    },
  }
}
