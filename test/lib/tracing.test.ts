import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { expect, it } from 'vitest'
import { traced } from '../../src/lib/tracing.js'

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

/** What a subscriber hears of one operation, with the context as it is at that moment. */
function heard(name: string) {
  const channel = tracingChannel<unknown, object>(`test:${name}`)
  const events: [string, object][] = []
  const note = (event: string) => (context: object) => void events.push([event, { ...context }])
  channel.subscribe({
    start: note('start'),
    end: note('end'),
    asyncStart: note('asyncStart'),
    asyncEnd: note('asyncEnd'),
    error: note('error'),
  })
  return { channel, events }
}

it('tells when an operation starts and ends, and what it has added to its context', () => {
  const { channel, events } = heard('at once')
  const result = traced(
    channel,
    () => ({ of: 'a test' }),
    (context) => Object.assign(context ?? {}, { status: 200 }),
  )
  expect(result).toEqual({ of: 'a test', status: 200 })
  expect(events).toEqual([
    ['start', { of: 'a test' }],
    ['end', { of: 'a test', status: 200 }],
  ])
})

it('tells when the result of an operation arrives, without the result', async () => {
  const { channel, events } = heard('later')
  expect(
    await traced(
      channel,
      () => ({}),
      async () => 'a secret',
    ),
  ).toBe('a secret')
  expect(events).toEqual([
    ['start', {}],
    ['end', {}],
    ['asyncStart', {}],
    ['asyncEnd', {}],
  ])
})

it('tells of an operation that throws or rejects, and leaves the failure to the caller', async () => {
  const failure = new Error('down')
  const thrown = heard('thrown')
  const throws = (): never => {
    throw failure
  }
  expect(() => traced(thrown.channel, () => ({}), throws)).toThrow(failure)
  expect(thrown.events).toEqual([
    ['start', {}],
    ['error', { error: failure }],
    ['end', { error: failure }],
  ])

  const rejected = heard('rejected')
  await expect(
    traced(
      rejected.channel,
      () => ({}),
      () => Promise.reject(failure),
    ),
  ).rejects.toBe(failure)
  expect(rejected.events).toEqual([
    ['start', {}],
    ['end', {}],
    ['error', { error: failure }],
    ['asyncStart', { error: failure }],
    ['asyncEnd', { error: failure }],
  ])
})
