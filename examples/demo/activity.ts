import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { EventEmitter } from 'node:events'
import type { RequestHandler } from 'express'
import type { Store, TwoFactorEvent } from 'express-two-factor'
import { sentenceOf } from './sentences.js'

/** An effect of a request. */
export interface Step {
  readonly by: 'store' | 'provider' | 'event'
  readonly text: string
}

/** A request to the bank and its effects, in order. */
export interface Activity {
  readonly id: number
  /** The result, in a sentence for the viewer. */
  readonly sentence: string
  readonly request: string
  /** Status, and the target of a redirect. */
  readonly answer: string
  readonly steps: readonly Step[]
  /** Number of equal requests in a row. */
  readonly times: number
}

export interface ActivityLog {
  readonly middleware: RequestHandler
  /** Wraps the store and logs its commands. */
  watch(store: Store): Store
  onEvent(event: TwoFactorEvent): void
  /** Newest first. */
  list(): readonly Activity[]
  /** Emits `change` after each request. */
  readonly changes: EventEmitter
  /** Number of codes that were checked so far. */
  checks(): number
  close(): void
}

/** Data about a call to the provider in the tracing channels. */
interface Call {
  readonly operation?: string
  readonly httpStatus?: number
  readonly result?: string
}

/** Names of stored entries: of an account, and of a number at sign-up. */
const names: Readonly<Record<string, string>> = { auth: 'the ledger', enrol: 'the ledger' }

const maxEntries = 40

/** Logs the activity of the bank: requests, store commands, events and calls to the provider. */
export function createActivityLog(): ActivityLog {
  const current = new AsyncLocalStorage<Step[]>()
  const changes = new EventEmitter()
  const entries: Activity[] = []
  let lastId = 0
  let checks = 0

  function add(activity: Omit<Activity, 'id' | 'times'>): void {
    const [last] = entries
    const told = ({ request, answer, steps }: typeof activity) => JSON.stringify([request, answer, steps])
    if (last !== undefined && told(last) === told(activity)) entries[0] = { ...last, times: last.times + 1 }
    else entries.unshift({ ...activity, id: ++lastId, times: 1 })
    entries.splice(maxEntries)
    changes.emit('change')
  }

  const note = (by: Step['by'], text: string) => void current.getStore()?.push({ by, text })
  const noteCall = (context: object) => {
    const { operation = 'own code', httpStatus = '', result = '' } = context as Call
    note('provider', `${operation} ${httpStatus} ${result}`)
  }
  const noteCheck = (context: object) => {
    if (current.getStore() !== undefined) checks += 1
    noteCall(context)
  }
  /** Logs equal commands in a row as one step: "counts address sends, service sends". */
  const noteCommand = (verb: string, key: string) => {
    const [, , kind = ''] = key.split(':')
    const what = names[kind] ?? kind.replace(/^count-\w+-/, '').replaceAll('-', ' ')
    const steps = current.getStore()
    const last = steps?.at(-1)
    if (last?.text.startsWith(verb)) steps?.splice(-1, 1, { by: 'store', text: `${last.text}, ${what}` })
    else note('store', `${verb} ${what}`)
  }
  const nothing = () => {}
  const quiet = { start: nothing, end: nothing, asyncStart: nothing, asyncEnd: nothing, error: nothing }
  const watched = [
    [tracingChannel<unknown, object>('express-two-factor:send'), { ...quiet, asyncEnd: noteCall }],
    [tracingChannel<unknown, object>('express-two-factor:check'), { ...quiet, asyncEnd: noteCheck }],
  ] as const
  for (const [channel, watcher] of watched) channel.subscribe(watcher)

  return {
    middleware: (req, res, next) => {
      const steps: Step[] = []
      const [path = ''] = req.originalUrl.split('?')
      // Skips files that a page loads, because the viewer clicked nothing.
      if (/\.\w+$/.test(path)) return next()
      res.once('finish', () => {
        const [location] = res.get('Location')?.split('?') ?? []
        const answer = location === undefined ? `${res.statusCode}` : `${res.statusCode} to ${location}`
        const events = steps.flatMap(({ by, text }) => (by === 'event' ? text.split(' ', 1) : []))
        const sentence = sentenceOf({ method: req.method, path, status: res.statusCode, location, events })
        add({ sentence, request: `${req.method} ${path}`, answer, steps })
      })
      current.run(steps, next)
    },
    watch: (store) => ({
      ...store,
      read(key) {
        noteCommand('reads', key)
        return store.read(key)
      },
      swap(key, ...change) {
        noteCommand('writes', key)
        return store.swap(key, ...change)
      },
      increment(key, ...amount) {
        noteCommand('counts', key)
        return store.increment(key, ...amount)
      },
    }),
    onEvent(event) {
      note('event', 'code' in event ? `${event.type} ${event.code}` : event.type)
    },
    list: () => entries,
    changes,
    checks: () => checks,
    close() {
      for (const [channel, watcher] of watched) channel.unsubscribe(watcher)
      // Otherwise it is copied along with each promise of the process, for each log that was ever made.
      current.disable()
    },
  }
}
