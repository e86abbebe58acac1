import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { expect, it } from 'vitest'
import { traced } from '../../src/lib/promises.js'

const fails = (): never => {
  throw new Error('a context was made')
}

it('costs no context while nobody subscribes', () => {
  const channel = tracingChannel<unknown, object>('test:unheard')
  expect(traced(channel, fails, (context) => [context])).toEqual([undefined])
})

it('runs within the stores of its subscribers, so that spans nest', async () => {
  const channel = tracingChannel<string, object>('test:nested')
  const spans = new AsyncLocalStorage<string>()
  channel.start.bindStore(spans, () => 'span')
  const run = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return spans.getStore()
  }
  expect(await traced(channel, () => ({}), run)).toBe('span')
  expect(spans.getStore()).toBeUndefined()
})

it('tells of an operation that throws at once, and leaves the failure to the caller', () => {
  const failure = new Error('down')
  const channel = tracingChannel<unknown, object>('test:thrown')
  const events: string[] = []
  const note = (event: string) => () => void events.push(event)
  const unheard = note('never')
  channel.subscribe({
    start: note('start'),
    end: note('end'),
    asyncStart: unheard,
    asyncEnd: unheard,
    error: (context) => void events.push(`error: ${Object(context).error.message}`),
  })
  const throws = (): never => {
    throw failure
  }
  expect(() => traced(channel, () => ({}), throws)).toThrow(failure)
  expect(events).toEqual(['start', 'error: down', 'end'])
})
