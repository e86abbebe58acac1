import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Dispatcher, openTransport } from '../../src/provider/send.js'

const origin = 'https://api.example.com'
const post = { method: 'POST', path: '/v1/2fa/send-sms', form: 'client=1&key=k', timeoutMs: 1_000 } as const
const get = { ...post, method: 'GET', path: '/v1/balance' } as const

const controller = () => ({ abort: vi.fn() }) as unknown as Dispatcher.DispatchController
type Script = (handler: Required<Dispatcher.DispatchHandler>) => void

/** A transport whose dispatches follow these scripts in turn; the last one is repeated. */
function scripted(...scripts: Script[]) {
  const dispatched: Dispatcher.DispatchOptions[] = []
  const close = vi.fn()
  const dispatch = (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
    dispatched.push(options)
    const script = scripts[Math.min(dispatched.length, scripts.length) - 1]
    script?.(handler as Required<Dispatcher.DispatchHandler>)
    return true
  }
  const transport = openTransport(origin, { connections: 64, connectTimeoutMs: 5_000 }, {
    dispatch,
    close,
  } as unknown as Dispatcher)
  return { transport, dispatched, close }
}

/** A dispatch that answers. */
const answers =
  (text: string, httpStatus = 200, headers = {}, running = controller()): Script =>
  (handler) => {
    handler.onRequestStart(running, undefined)
    handler.onResponseStart(running, httpStatus, headers, 'OK')
    if (text !== '') handler.onResponseData(running, Buffer.from(text))
    handler.onResponseEnd(running, {})
  }

/** A dispatch that starts, gets this far, and fails. */
const fails =
  (code: string, httpStatus?: number, running = controller()): Script =>
  (handler) => {
    handler.onRequestStart(running, undefined)
    if (httpStatus !== undefined) handler.onResponseStart(running, httpStatus, {}, '')
    handler.onResponseError(running, Object.assign(new Error('to 10.0.0.1'), { code }))
  }

const silent: Script = () => {}

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => vi.useRealTimers())

const shared = [
  'accept',
  'application/json',
  'accept-encoding',
  'identity',
  'user-agent',
  'express-two-factor',
]
const common = { origin, headersTimeout: 0, bodyTimeout: 0 }

describe('a request', () => {
  test('by POST has its parameters in the body, where no access log keeps them', async () => {
    const { transport, dispatched } = scripted(answers('{}'))
    await transport.send(post)
    const headers = [...shared, 'content-type', 'application/x-www-form-urlencoded']
    expect(dispatched).toEqual([
      { ...common, method: 'POST', path: '/v1/2fa/send-sms', headers, body: 'client=1&key=k' },
    ])
  })

  test('by GET has them in the query', async () => {
    const { transport, dispatched } = scripted(answers('{}'))
    await transport.send(get)
    expect(dispatched).toEqual([
      { ...common, method: 'GET', path: '/v1/balance?client=1&key=k', headers: shared, body: null },
    ])
  })
})

describe('an answer', () => {
  test('is whole: status, header lines and text', async () => {
    const { transport } = scripted((handler) => {
      const running = controller()
      handler.onRequestStart(running, undefined)
      handler.onResponseStart(running, 103, { link: 'early' }, '')
      handler.onResponseStart(running, 520, { 'retry-after': '5', 'content-encoding': 'identity' }, '')
      handler.onResponseData(running, Buffer.from('{"n": "'))
      const [first = 0, second = 0] = Buffer.from('é')
      handler.onResponseData(running, Buffer.from([first]))
      handler.onResponseData(running, Buffer.from([second]))
      handler.onResponseEnd(running, {})
      handler.onResponseError(running, new Error('too late'))
    })
    expect(await transport.send(post)).toEqual({
      delivery: 'answered',
      httpStatus: 520,
      headers: { 'retry-after': '5', 'content-encoding': 'identity' },
      text: '{"n": "é',
    })
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each(['gzip', ['identity', 'gzip'], ''])(
    'in the coding %j is never decoded: it could unfold to gigabytes',
    async (coding) => {
      const headers = { 'content-encoding': coding }
      const { transport } = scripted(answers('{}', 200, headers))
      expect(await transport.send(post)).toEqual({ delivery: 'answered', httpStatus: 200, headers })
    },
  )

  test.each(['identity', 'IDENTITY', 'Identity', 'identity, identity', ['identity', ' Identity ']])(
    'in the coding %j is read',
    async (coding) => {
      const { transport } = scripted(answers('{}', 200, { 'content-encoding': coding }))
      expect(await transport.send(post)).toMatchObject({ delivery: 'answered', text: '{}' })
    },
  )

  test('has 64 KiB at most; beyond that its connection is taken down', async () => {
    const kept = scripted(answers('x'.repeat(65_536)))
    expect(await kept.transport.send(post)).toHaveProperty('text.length', 65_536)

    const running = controller()
    const { transport } = scripted(answers('x'.repeat(65_537), 200, {}, running))
    expect(await transport.send(post)).toEqual({ delivery: 'unknown', cause: 'oversize', httpStatus: 200 })
    expect(running.abort).toHaveBeenCalledExactlyOnceWith(new Error('oversize'))
  })
})

describe('a request that is lost', () => {
  test('before its first byte was provably not sent', async () => {
    const { transport } = scripted((handler) =>
      handler.onResponseError(controller(), Object.assign(new Error(), { code: 'ECONNREFUSED' })),
    )
    expect(await transport.send(post)).toEqual({ delivery: 'not-sent', cause: 'ECONNREFUSED' })
  })

  test('after it may have arrived', async () => {
    expect(await scripted(fails('ECONNRESET')).transport.send(post)).toEqual({
      delivery: 'unknown',
      cause: 'ECONNRESET',
    })
  })

  test.each([
    [502, { httpStatus: 502 }],
    // Only announces the answer.
    [103, {}],
  ])('with HTTP %i has arrived, with or without a start reported by the dispatcher', async (status, told) => {
    const { transport } = scripted((handler) => {
      handler.onResponseStart(controller(), status, {}, '')
      handler.onResponseError(controller(), new Error())
    })
    const lost = { delivery: 'unknown', cause: 'connection failed', ...told }
    expect(await transport.send(post)).toEqual(lost)
  })

  test('because the dispatcher throws was not sent', async () => {
    const { transport } = scripted(() => {
      throw Object.assign(new Error('invalid'), { code: 'UND_ERR_INVALID_ARG' })
    })
    expect(await transport.send(post)).toEqual({ delivery: 'not-sent', cause: 'UND_ERR_INVALID_ARG' })
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([
    [Object.assign(new Error(), { code: 'E' }), 'E'],
    [Object.assign(new Error(), { code: `E${'1'.repeat(63)}` }), `E${'1'.repeat(63)}`],
    [Object.assign(new Error(), { code: `E${'1'.repeat(64)}` }), 'connection failed'],
    [Object.assign(new Error(), { code: 'xECONNRESET' }), 'connection failed'],
    [Object.assign(new Error(), { code: 'ECONNRESET to 10.0.0.1' }), 'connection failed'],
    [Object.assign(new Error(), { code: 404 }), 'connection failed'],
    [new Error('ECONNRESET'), 'connection failed'],
    [{ code: 'ECONNRESET' }, 'connection failed'],
    [undefined, 'connection failed'],
  ])('says its code and nothing else (%#)', async (error, cause) => {
    const { transport } = scripted((handler) => handler.onResponseError(controller(), error as Error))
    expect(await transport.send(post)).toEqual({ delivery: 'not-sent', cause })
  })
})

describe('the deadline', () => {
  test('ends a request that was sent, and its connection with it', async () => {
    const running = controller()
    const { transport } = scripted((handler) => handler.onRequestStart(running, undefined))
    const settled = vi.fn()
    const sent = transport.send(post).then(settled)
    await vi.advanceTimersByTimeAsync(999)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await sent
    expect(settled).toHaveBeenCalledWith({ delivery: 'unknown', cause: 'deadline' })
    expect(running.abort).toHaveBeenCalledExactlyOnceWith(new Error('deadline'))
  })

  test('ends a request that waits for a connection, which is then never sent', async () => {
    const started: (() => void)[] = []
    const { transport } = scripted((handler) =>
      started.push(() => handler.onRequestStart(controller(), undefined)),
    )
    const sent = transport.send(post)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await sent).toEqual({ delivery: 'not-sent', cause: 'deadline' })
    expect(started[0]).toThrow('given up before it started')
  })
})

describe('a signal', () => {
  test('that was given before lets nothing leave', async () => {
    const { transport, dispatched } = scripted(answers('{}'))
    const outcome = await transport.send({ ...post, signal: AbortSignal.abort() })
    expect(outcome).toEqual({ delivery: 'not-sent', cause: 'aborted' })
    expect(dispatched).toEqual([])
  })

  test('ends a request under way', async () => {
    const abort = new AbortController()
    const running = controller()
    const { transport } = scripted((handler) => handler.onRequestStart(running, undefined))
    const sent = transport.send({ ...post, signal: abort.signal })
    await vi.advanceTimersByTimeAsync(0)
    abort.abort()
    expect(await sent).toEqual({ delivery: 'unknown', cause: 'aborted' })
    expect(running.abort).toHaveBeenCalledExactlyOnceWith(new Error('aborted'))
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is let go of afterwards, for it may outlive thousands of requests', async () => {
    const { signal } = new AbortController()
    const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    await scripted(answers('{}')).transport.send({ ...post, signal })
    expect(remove.mock.calls).toEqual(add.mock.calls)
  })
})

describe('a second try', () => {
  test('is made for a GET that may have arrived', async () => {
    const { transport, dispatched } = scripted(fails('ECONNRESET'), answers('{}'))
    expect(await transport.send(get)).toMatchObject({ delivery: 'answered', text: '{}' })
    expect(dispatched).toHaveLength(2)
  })

  test('is never made for a POST: a send costs money, a check costs a guess', async () => {
    const { transport, dispatched } = scripted(fails('ECONNRESET'), answers('{}'))
    expect(await transport.send(post)).toMatchObject({ delivery: 'unknown' })
    expect(dispatched).toHaveLength(1)
  })

  test.each([
    ['was not sent', ((handler) => handler.onResponseError(controller(), new Error())) as Script],
    ['had a status already', fails('ECONNRESET', 502)],
    ['was answered', answers('', 500)],
  ])('is not made for a GET that %s', async (_, script) => {
    const { transport, dispatched } = scripted(script)
    await transport.send(get)
    expect(dispatched).toHaveLength(1)
  })

  test('that is lost as well leaves the word to the first', async () => {
    const { transport } = scripted(fails('ECONNRESET'), fails('UND_ERR_SOCKET', 500))
    expect(await transport.send(get)).toEqual({ delivery: 'unknown', cause: 'ECONNRESET' })
  })

  test('has the rest of the deadline, for any uptime of the process', async () => {
    vi.advanceTimersByTime(3_600_000)
    const { transport, dispatched } = scripted((handler) => {
      handler.onRequestStart(controller(), undefined)
      setTimeout(() => handler.onResponseError(controller(), new Error()), 600)
    }, silent)
    const settled = vi.fn()
    transport.send(get).then(settled, settled)
    await vi.advanceTimersByTimeAsync(999)
    expect(dispatched).toHaveLength(2)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(settled).toHaveBeenCalledOnce()
  })

  test.each([
    [999, 2],
    [999.5, 1],
  ])('needs a millisecond: after %d of 1000 there are %i', async (ms, tries) => {
    const { transport, dispatched } = scripted((handler) => {
      handler.onRequestStart(controller(), undefined)
      vi.spyOn(performance, 'now').mockReturnValue(performance.now() + ms)
      handler.onResponseError(controller(), new Error())
    }, answers('{}'))
    await transport.send(get)
    expect(dispatched).toHaveLength(tries)
    vi.restoreAllMocks()
  })
})

describe('closing', () => {
  test('lets nothing more leave, and leaves the dispatcher of the host open', async () => {
    const { transport, dispatched, close } = scripted(answers('{}'))
    await transport.close()
    await transport.close()
    expect(await transport.send(post)).toEqual({ delivery: 'not-sent', cause: 'closed' })
    expect(dispatched).toEqual([])
    expect(close).not.toHaveBeenCalled()
  })
})
