import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createBackground } from '../../src/lib/promises.js'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

describe('work in the background', () => {
  test('runs beside its caller, and a failure ends no process', async () => {
    const background = createBackground()
    const task = vi.fn(async () => {
      throw new Error('nobody awaits this')
    })
    background.run(task)
    expect(task).toHaveBeenCalledOnce()
    // An unhandled rejection fails the run of the tests.
    await vi.advanceTimersByTimeAsync(0)
  })

  test('starts after its time, once', async () => {
    const background = createBackground()
    const task = vi.fn(async () => {})
    background.after(500, task)
    await vi.advanceTimersByTimeAsync(499)
    expect(task).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(task).toHaveBeenCalledOnce()
  })

  test('keeps no process alive', () => {
    vi.useRealTimers()
    const unref = vi.spyOn(Object.getPrototypeOf(setTimeout(() => {}, 0)), 'unref')
    const background = createBackground()
    background.after(60_000, async () => {})
    expect(unref).toHaveBeenCalledOnce()
    background.close()
    unref.mockRestore()
  })

  test('ends with close: nothing that waits begins, and nothing new', async () => {
    const background = createBackground()
    const task = vi.fn(async () => {})
    background.after(10, task)
    background.after(20, task)
    background.close()
    expect(vi.getTimerCount()).toBe(0)
    background.after(10, task)
    background.run(task)
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(100)
    expect(task).not.toHaveBeenCalled()
  })

  test('that has begun may go on after close', async () => {
    const background = createBackground()
    const done: string[] = []
    background.after(10, async () => {
      background.close()
      done.push('to its end')
    })
    await vi.advanceTimersByTimeAsync(10)
    expect(done).toEqual(['to its end'])
  })
})
