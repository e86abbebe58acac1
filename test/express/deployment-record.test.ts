import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openInspection } from '../../src/challenge/operator/inspection.js'
import { memoryStore, type Store } from '../../src/index.js'
import { startHost } from './kit.js'

const secret = 'a secret of thirty-two bytes or more'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** An app on a store that an operator can empty, or make fail. */
async function startApp() {
  let current: Store = memoryStore()
  let isDown = false
  const well = () => {
    if (isDown) throw new Error('down')
    return current
  }
  const store: Store = {
    read: (key) => well().read(key),
    swap: (...args) => well().swap(...args),
    increment: (...args) => well().increment(...args),
  }
  await startHost({ options: { store } })
  return {
    store,
    empty: () => {
      current = memoryStore()
    },
    fail: (down: boolean) => {
      isDown = down
    },
    find: async () => {
      const inspection = await openInspection({ store, secret, namespace: '' })
      return typeof inspection === 'string' ? inspection : 'found'
    },
  }
}

it('a process writes its deployment record again within a minute after the store was emptied', async () => {
  const app = await startApp()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await app.find()).toBe('found')
  for (const _ of [1, 2]) {
    app.empty()
    expect(await app.find()).toBe('unknown-namespace')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await app.find()).toBe('found')
  }
})

it('a process that started while the store was down writes it within a minute after', async () => {
  const app = await startApp()
  app.fail(true)
  await vi.advanceTimersByTimeAsync(300_000)
  app.fail(false)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await app.find()).toBe('found')
})
