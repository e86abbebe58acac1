import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  allEnded,
  andThen,
  createBackground,
  ignoreRejection,
  traced,
  undoneWhenLate,
  withinDeadline,
} from '../../src/lib/promises.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] }))
afterEach(() => void vi.useRealTimers())

describe('what may be a promise', () => {
  it('continues synchronously without a promise', () => {
    expect(andThen(1, (one) => one + 1)).toBe(2)
  })

  it('waits for a promise', async () => {
    expect(await andThen(Promise.resolve(1), (one) => one + 1)).toBe(2)
  })

  it('fails only when nothing of it is under way any more', async () => {
    expect(await allEnded([1, Promise.resolve(2)])).toEqual([1, 2])
    const ended: string[] = []
    const slow = setImmediate().then(() => ended.push('slow'))
    await expect(allEnded([Promise.reject('down'), slow])).rejects.toBe('down')
    expect(ended).toEqual(['slow'])
  })
})

describe('a deadline', () => {
  const late = () => new Error('late')

  it('calls late after its time, and not before', async () => {
    const settled = vi.fn()
    withinDeadline(250, () => new Promise(() => undefined), late).catch(settled)
    await vi.advanceTimersByTimeAsync(249)
    expect(settled).not.toHaveBeenCalled()
    // One turn of the event loop more, in which a reply that is waiting is read.
    await vi.advanceTimersByTimeAsync(2)
    expect(settled).toHaveBeenCalledWith(late())
  })

  it('returns a timely result, and leaves no timer', async () => {
    expect(await withinDeadline(250, () => Promise.resolve('here'), late)).toBe('here')
    await expect(withinDeadline(250, () => Promise.reject(new Error('down')), late)).rejects.toThrow('down')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('what must not have happened where nobody waited for it', () => {
  const [never, here] = [() => Promise.reject('late'), () => Promise.resolve()]

  it.each([
    ['is undone when it is carried out after all', never, here, 1],
    ['is left where it was waited for', here, here, 0],
    ['is left where it failed', never, never, 0],
  ])('%s', async (_what, bounded, work, times) => {
    const undo = vi.fn()
    await Promise.allSettled([undoneWhenLate<unknown>(bounded(), work(), undo)])
    await vi.advanceTimersByTimeAsync(0)
    expect(undo).toHaveBeenCalledTimes(times)
  })
})

describe('work in the background', () => {
  it('runs beside its caller, and a failure ends no process', async () => {
    const task = vi.fn(async () => {
      throw new Error('nobody awaits this')
    })
    createBackground().run(task)
    expect(task).toHaveBeenCalledOnce()
    // An unhandled rejection fails the run of the tests.
    await vi.advanceTimersByTimeAsync(0)
  })

  it('starts after its time, once', async () => {
    const task = vi.fn(async () => {})
    createBackground().after(500, task)
    await vi.advanceTimersByTimeAsync(499)
    expect(task).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(task).toHaveBeenCalledOnce()
  })

  it('keeps no process alive', () => {
    vi.useRealTimers()
    const unref = vi.spyOn(Object.getPrototypeOf(setTimeout(() => {}, 0)), 'unref')
    const background = createBackground()
    background.after(60_000, async () => {})
    expect(unref).toHaveBeenCalledOnce()
    background.close()
    unref.mockRestore()
  })

  it('ends with close: nothing that waits begins, and nothing new', async () => {
    const background = createBackground()
    const task = vi.fn(async () => {})
    background.after(10, task)
    background.close()
    background.after(10, task)
    background.run(task)
    expect(vi.getTimerCount()).toBe(0)
    expect(task).not.toHaveBeenCalled()
  })
})

describe('a traced operation', () => {
  it('costs no context without a subscriber', async () => {
    const fails = (): never => {
      throw new Error('a context was made')
    }
    const channel = tracingChannel<unknown, object>('test:unheard')
    expect(await traced(channel, fails, async (context) => [context])).toEqual([undefined])
  })

  it('runs within the stores of its subscribers, so that spans nest', async () => {
    const channel = tracingChannel<string, object>('test:nested')
    const spans = new AsyncLocalStorage<string>()
    channel.start.bindStore(spans, () => 'span')
    const run = async () => {
      await setImmediate()
      return spans.getStore()
    }
    expect(await traced(channel, () => ({}), run)).toBe('span')
    expect(spans.getStore()).toBeUndefined()
  })

  it('shows the noted context and not the result, and passes on a failure', async () => {
    const channel = tracingChannel<unknown, { result?: string }>('test:given')
    const ended = vi.fn()
    channel.asyncEnd.subscribe((context) => ended({ ...(context as object) }))
    const secret = { code: '123456' }
    const run = async (context: { result?: string } = {}) => {
      context.result = 'sent'
      return secret
    }
    expect(await traced(channel, () => ({}), run)).toBe(secret)
    expect(ended.mock.lastCall).toEqual([{ result: 'sent' }])
    const failure = new Error('down')
    await expect(
      traced(
        channel,
        () => ({}),
        () => Promise.reject(failure),
      ),
    ).rejects.toBe(failure)
  })
})

describe('a value that must be no promise', () => {
  it('may be a rejecting one, without ending the process', async () => {
    vi.useRealTimers()
    const handled = vi.fn((_: unknown, refused: (reason: unknown) => void) => refused('handled'))
    // biome-ignore lint/suspicious/noThenProperty: a thenable of another make
    ignoreRejection({ then: handled })
    ignoreRejection(Promise.reject(new Error('nobody awaits this')))
    ignoreRejection(undefined)
    // An unhandled rejection fails the run of the tests.
    await setImmediate()
    expect(handled).toHaveBeenCalledOnce()
  })
})
