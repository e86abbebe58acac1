import { EventEmitter } from 'node:events'
import type { Response } from 'express'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLivePages, nextChangeInMs } from '../../../src/tools/sandbox/http/live-pages.js'
import { readView, viewUrl } from '../../../src/tools/sandbox/page/view.js'

/** The part of a response that a stream uses. */
class Reader extends EventEmitter {
  readonly written: string[] = []
  writableNeedDrain = false
  writeHead = () => this
  write = (text: string) => this.written.push(JSON.parse(text.slice('data: '.length)).markup)
}

function open() {
  const changes = new EventEmitter<{ change: [] }>()
  const shown = { content: 'empty', nextChangeInMs: Number.POSITIVE_INFINITY }
  const render = vi.fn(() => shown.content)
  const pages = createLivePages({
    ...{ changes, render, realNow: () => 0 },
    nextChangeInMs: () => shown.nextChangeInMs,
  })
  return {
    render,
    shown,
    read() {
      const reader = new Reader()
      expect(pages.open(reader as unknown as Response, readView('/'))).toBe(true)
      return reader
    },
    change(next: string) {
      shown.content = next
      changes.emit('change')
    },
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('open pages', () => {
  test('are rendered four times a second at most, and miss nothing', async () => {
    const { read, change, render } = open()
    const { written } = read()
    await vi.advanceTimersByTimeAsync(1_000)
    render.mockClear()
    for (let ms = 0; ms < 1_000; ms += 1) {
      change(`change ${ms}`)
      await vi.advanceTimersByTimeAsync(1)
    }
    await vi.advanceTimersByTimeAsync(250)
    expect(render.mock.calls.length).toBeLessThanOrEqual(6)
    expect(written.at(-1)).toBe('change 999')
  })

  test('are rendered when time changes something', async () => {
    const { read, shown } = open()
    shown.nextChangeInMs = 2_000
    const { written } = read()
    shown.content = 'delivered'
    await vi.advanceTimersByTimeAsync(1_999)
    expect(written).toEqual(['empty'])
    shown.nextChangeInMs = Number.POSITIVE_INFINITY
    await vi.advanceTimersByTimeAsync(1)
    expect(written).toEqual(['empty', 'delivered'])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('are served while one is left, and leave no timer behind', async () => {
    const { read, change, shown } = open()
    shown.nextChangeInMs = 60_000
    const [gone, left] = [read(), read()]
    gone.emit('close')
    change('after one has gone')
    await vi.advanceTimersByTimeAsync(250)
    expect([gone.written, left.written]).toEqual([['empty'], ['empty', 'after one has gone']])
    left.emit('close')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('that read slowly get the newest rendering, not all of them', async () => {
    const { read, change } = open()
    const reader = read()
    reader.writableNeedDrain = true
    for (const content of ['a', 'b', 'c']) {
      change(content)
      await vi.advanceTimersByTimeAsync(250)
    }
    expect(reader.written).toEqual(['empty'])
    reader.writableNeedDrain = false
    reader.emit('drain')
    await vi.advanceTimersByTimeAsync(250)
    expect(reader.written).toEqual(['empty', 'c'])
  })
})

test.each([
  ['live', [{ at: 900 }, { at: 5_000 }], 3_000],
  ['live', [{ at: 1_000 }, { at: 1_002 }], 2],
  ['used', [], 4_000],
])(
  'only time changes the view when a code that is %s ends, a message moves or a link ends',
  (codeState, timeline, inMs) => {
    const simulation = {
      clock: { now: () => 1_000 },
      links: { list: () => [{ expiresAt: 1_000 }, { expiresAt: 5_000 }] },
      messages: { search: () => [{ timeline }], view: () => ({ codeState, codeExpiresAt: 4_000 }) },
    }
    expect(nextChangeInMs(simulation as never)).toBe(inMs)
  },
)

test.each([
  ['/', { search: '', page: 1, isCompact: false }, '/'],
  ['/?q=+a+&page=9&view=compact', { search: 'a', page: 9, isCompact: true }, '/?q=a&page=9&view=compact'],
  ['/?page=none&view=cards', { search: '', page: 1, isCompact: false }, '/'],
  ['/?page=1.5', { page: 1 }, '/'],
  ['/?page=0', { page: 1 }, '/'],
])('the view of %s is a part of its URL', (url, view, again) => {
  expect(readView(url)).toMatchObject(view)
  expect(viewUrl(readView(url), { page: readView(url).page })).toBe(again)
  expect(viewUrl(readView(url))).not.toContain('page=')
})
