import type { EventEmitter } from 'node:events'
import type { Response } from 'express'
import { maxTimerMs } from '../../../lib/time.js'
import type { InboxView } from '../page/view.js'
import type { ProviderSimulation } from '../provider-simulation.js'
import { nextStepAt } from '../timeline.js'

interface LivePagesParts {
  readonly changes: EventEmitter<{ change: [] }>
  readonly render: (view: InboxView) => string
  /** Returns the milliseconds until time changes the page without an event. */
  readonly nextChangeInMs: () => number
  /** Returns the real time as the sandbox sees it, for countdowns in the browser. */
  readonly realNow: () => number
}

interface Stream {
  readonly response: Response
  readonly view: InboxView
  shown: string
}

export const streamPath = '/_sandbox/stream'
export const maxStreams = 20
/** Minimum time between two renderings under load. */
const minIntervalMs = 250

/**
 * Creates the pages that are open in browsers, each over a stream of server-sent events. They are rendered after a
 * change, or when time changes them. An idle page costs nothing.
 */
export function createLivePages({ changes, render, nextChangeInMs, realNow }: LivePagesParts) {
  const streams = new Set<Stream>()
  let timer: NodeJS.Timeout | undefined
  let renderAt = Number.POSITIVE_INFINITY
  let renderedAt = Number.NEGATIVE_INFINITY

  const planNow = () => plan(0)

  /** Renders after this delay, or earlier if already planned. */
  function plan(delayMs: number): void {
    const at = Math.max(performance.now() + delayMs, renderedAt + minIntervalMs)
    if (at >= renderAt) return
    clearTimeout(timer)
    renderAt = at
    timer = setTimeout(renderAll, Math.min(at - performance.now(), maxTimerMs))
  }

  function renderAll(): void {
    renderedAt = performance.now()
    renderAt = Number.POSITIVE_INFINITY
    for (const stream of streams) send(stream)
    plan(nextChangeInMs())
  }

  function send(stream: Stream): void {
    // A slow reader must not accumulate renderings. It gets the newest rendering once it has drained.
    if (stream.response.writableNeedDrain) return
    const markup = render(stream.view)
    if (markup === stream.shown) return
    stream.shown = markup
    stream.response.write(`data: ${JSON.stringify({ now: realNow(), markup })}\n\n`)
  }

  function close(stream: Stream): void {
    streams.delete(stream)
    if (streams.size > 0) return
    clearTimeout(timer)
    renderAt = Number.POSITIVE_INFINITY
    changes.off('change', planNow)
  }

  return {
    /** Opens a stream. Returns false if too many are open. */
    open(response: Response, view: InboxView): boolean {
      if (streams.size >= maxStreams) return false
      if (streams.size === 0) changes.on('change', planNow)
      const stream = { response, view, shown: '' }
      streams.add(stream)
      response.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8' })
      response.on('close', () => close(stream)).on('drain', planNow)
      send(stream)
      plan(nextChangeInMs())
      return true
    },
  }
}

type Parts = Pick<ProviderSimulation, 'clock' | 'links' | 'messages'>

/** Returns the milliseconds until time changes the page without an event; Infinity if it never does. */
export function nextChangeInMs({ clock, links, messages }: Parts): number {
  const delays: number[] = []
  for (const message of messages.search('')) {
    const now = clock.now(message.phone)
    const { codeState, codeExpiresAt } = messages.view(message)
    delays.push((nextStepAt(message.timeline, now) ?? Number.POSITIVE_INFINITY) - now)
    if (codeState === 'live' && codeExpiresAt !== undefined) delays.push(codeExpiresAt - now)
  }
  const now = clock.now()
  for (const { expiresAt } of links.list()) if (expiresAt > now) delays.push(expiresAt - now)
  return Math.min(...delays)
}
