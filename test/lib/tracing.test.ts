import { AsyncLocalStorage } from 'node:async_hooks'
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'
import { expect, it } from 'vitest'
import { traced } from '../../src/lib/promises.js'

const fails = (): never => {
  throw new Error('a context was made')
}

it('costs no context while nobody subscribes', async () => {
  const channel = tracingChannel<unknown, object>('test:unheard')
  expect(await traced(channel, fails, async (context) => [context])).toEqual([undefined])
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

/** What is published on a channel, in order, with the context as it is then. */
function heard(channel: TracingChannel<unknown, object>) {
  const phases: [string, object][] = []
  const note = (phase: string) => (context: object) => void phases.push([phase, { ...context }])
  channel.subscribe({
    start: note('start'),
    end: note('end'),
    asyncStart: note('asyncStart'),
    asyncEnd: note('asyncEnd'),
    error: note('error'),
  })
  return phases
}

it('tells of an operation that throws, and leaves the failure to the caller', async () => {
  const failure = new Error('down')
  const channel = tracingChannel<unknown, object>('test:thrown')
  const phases = heard(channel)
  const throws = (): never => {
    throw failure
  }
  await expect(traced(channel, () => ({}), throws)).rejects.toBe(failure)
  expect(phases.map(([phase]) => phase)).toEqual(['start', 'end', 'error', 'asyncStart', 'asyncEnd'])
  expect(phases[2]).toEqual(['error', { error: failure }])
})

it('shows what was noted, and not what an operation gives', async () => {
  const channel = tracingChannel<unknown, { result?: string }>('test:given')
  const phases = heard(channel)
  const secret = { code: '123456' }
  const run = async (context: { result?: string } = {}) => {
    context.result = 'sent'
    return secret
  }
  expect(await traced(channel, () => ({}), run)).toBe(secret)
  const noted = ['end', 'asyncStart', 'asyncEnd'].map((phase) => [phase, { result: 'sent' }])
  expect(phases).toEqual([['start', {}], ...noted])
})
