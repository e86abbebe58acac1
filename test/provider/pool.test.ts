import { afterAll, afterEach, expect, onTestFinished, test, vi } from 'vitest'

const opened = vi.fn()
const close = vi.fn(async () => {})
const dispatch = vi.fn((_: object, handler: { onResponseError(controller: null, error: Error): void }) =>
  handler.onResponseError(null, new Error()),
)

vi.mock('undici', () => ({
  Pool: class {
    readonly close = close
    constructor(...args: unknown[]) {
      opened(...args)
    }
    dispatch(...args: Parameters<typeof dispatch>) {
      dispatch(...args)
    }
  },
}))

// Files share a process: what an earlier one loaded holds the real pool, and what this one loads must not stay.
vi.resetModules()
afterAll(() => vi.resetModules())
const { openTransport, transportLoaded } = await import('../../src/provider/send.js')
const bounds = { connections: 48, connectTimeoutMs: 2_000 }
const post = { method: 'POST', path: '/v1/x', form: '', timeoutMs: 1_000 } as const

afterEach(() => vi.clearAllMocks())

test('a transport opens one pool for one origin, bounded in connections and in time', async () => {
  const transport = openTransport('https://api.example.com', bounds)
  await transport.send(post)
  await transport.send(post)
  expect(opened.mock.calls).toEqual([
    ['https://api.example.com', { connections: 48, connect: { timeout: 2_000 } }],
  ])
  expect(dispatch).toHaveBeenCalledTimes(2)
  await transport.close()
})

test('a pool that cannot be opened fails the first request, not the process', async () => {
  opened.mockImplementationOnce(() => {
    throw new Error('no such package')
  })
  const transport = openTransport('https://api.example.com', bounds)
  // An unhandled rejection fails the run of the tests.
  await new Promise((resolve) => setImmediate(resolve))
  await expect(transport.send(post)).rejects.toThrow('no such package')
})

test('a runtime whose undici cannot send reports it after loading, and at the first request', async () => {
  const { Pool } = await import('undici')
  const { dispatch } = Pool.prototype
  onTestFinished(() => void Object.assign(Pool.prototype, { dispatch }))
  await transportLoaded()
  Object.assign(Pool.prototype, { dispatch: undefined })
  await expect(transportLoaded()).rejects.toThrow('undici cannot send in this runtime: use Node.js or Deno')
  const transport = openTransport('https://api.example.com', bounds)
  expect(await transport.send(post)).toEqual({ delivery: 'not-sent', cause: 'broken' })
})
