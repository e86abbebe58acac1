import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { withinDeadline } from '../../src/lib/promises.js'

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate'] }))
afterEach(() => vi.useRealTimers())

test('what has not come after its time is late, and not a moment before', async () => {
  const settled = vi.fn()
  withinDeadline(
    250,
    () => new Promise(() => undefined),
    () => new Error('late'),
  ).catch(settled)
  await vi.advanceTimersByTimeAsync(249)
  expect(settled).not.toHaveBeenCalled()
  // One turn of the event loop more, in which a reply that is waiting is read.
  await vi.advanceTimersByTimeAsync(2)
  expect(settled).toHaveBeenCalledWith(new Error('late'))
})

test('what comes in time is the result, and no timer is left', async () => {
  const late = () => new Error('late')
  expect(await withinDeadline(250, () => Promise.resolve('here'), late)).toBe('here')
  await expect(withinDeadline(250, () => Promise.reject(new Error('down')), late)).rejects.toThrow('down')
  expect(vi.getTimerCount()).toBe(0)
})
