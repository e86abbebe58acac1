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
  let content = 'empty'
  let rendered = 0
  let nextChangeInMs = Number.POSITIVE_INFINITY
  const pages = createLivePages({
    changes,
    render: () => {
      rendered += 1
      return content
    },
    nextChangeInMs: () => nextChangeInMs,
    realNow: () => 0,
  })
  return {
    read() {
      const reader = new Reader()
      expect(pages.open(reader as unknown as Response, readView('/'))).toBe(true)
      return reader
    },
    refuses: () => !pages.open(new Reader() as unknown as Response, readView('/')),
    change(next: string) {
      content = next
      changes.emit('change')
    },
    changeIn(ms: number, next: string) {
      nextChangeInMs = ms
      content = next
    },
    rendered: () => rendered,
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('open pages', () => {
  test('are rendered four times a second at most, and miss nothing', async () => {
    const { read, change, rendered } = open()
    const { written } = read()
    await vi.advanceTimersByTimeAsync(1_000)
    const before = rendered()
    for (let ms = 0; ms < 1_000; ms += 1) {
      change(`change ${ms}`)
      await vi.advanceTimersByTimeAsync(1)
    }
    await vi.advanceTimersByTimeAsync(250)
    expect(rendered() - before).toBeLessThanOrEqual(6)
    expect(written.at(-1)).toBe('change 999')
  })

  test('are rendered when time changes something', async () => {
    const { read, changeIn } = open()
    changeIn(2_000, 'empty')
    const { written } = read()
    changeIn(2_000, 'delivered')
    await vi.advanceTimersByTimeAsync(1_999)
    expect(written).toEqual(['empty'])
    changeIn(Number.POSITIVE_INFINITY, 'delivered')
    await vi.advanceTimersByTimeAsync(1)
    expect(written).toEqual(['empty', 'delivered'])
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
  'time alone changes what is shown when a code that is %s ends, a message moves or a link ends',
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
  [
    '/?q=+a+&page=1000&view=compact',
    { search: 'a', page: 1_000, isCompact: true },
    '/?q=a&page=1000&view=compact',
  ],
  ['/?page=none&view=cards', { search: '', page: 1, isCompact: false }, '/'],
  ['/?page=0', { page: 1 }, '/'],
  ['/?page=1.5', { page: 1 }, '/'],
])('the view of %s is a part of its URL', (url, view, again) => {
  expect(readView(url)).toMatchObject(view)
  expect(viewUrl(readView(url), { page: readView(url).page })).toBe(again)
  expect(viewUrl(readView(url))).not.toContain('page=')
})
