import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { tryAgain } from '../../src/lib/promises.js'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('what works at once is asked once', async () => {
  const run = vi.fn(() => 'done')
  expect(await tryAgain(1_500, run)).toBe('done')
  expect(run).toHaveBeenCalledTimes(1)
})

test('what fails is tried again until it works', async () => {
  const run = vi
    .fn(() => 'done')
    .mockImplementationOnce(() => {
      throw new Error('broken')
    })
  const tried = tryAgain(1_500, run)
  await vi.advanceTimersByTimeAsync(100)
  expect(await tried).toBe('done')
})

test('no try begins after its time, and the last failure is told', async () => {
  let tries = 0
  const failed = vi.fn()
  const startedAt = performance.now()
  tryAgain(1_500, async () => {
    tries += 1
    throw new Error(`try ${tries} after ${performance.now() - startedAt} ms`)
  }).catch(failed)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(failed).toHaveBeenCalledWith(new Error('try 16 after 1500 ms'))
})
