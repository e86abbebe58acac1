import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ProviderClient } from '../../src/provider/index.js'
import {
  canary,
  canaryClient,
  check,
  deadlineMs,
  failureOf,
  lateOnce,
  read,
  send,
  warmUp,
} from './failing-call.js'
import { answerOf, type SocketServer, startSocketServer } from './socket-server.js'

let server: SocketServer
let client: ProviderClient
/** The same, in a hurry: for what never comes. */
let hurried: ProviderClient
const intervals: NodeJS.Timeout[] = []

async function start(onRequest: (socket: Socket, request: string, nth: number) => void): Promise<void> {
  server = await startSocketServer(onRequest)
  client = canaryClient(server.baseUrl)
  hurried = canaryClient(server.baseUrl, { timeoutMs: deadlineMs })
}
beforeAll(warmUp)
afterEach(async () => {
  for (const interval of intervals.splice(0)) clearInterval(interval)
  await Promise.all([client.close(), hurried.close()])
  await server.close()
})

/** Writes the same bytes again and again, until the other side hangs up. */
function drip(socket: Socket, bytes: string, everyMs: number): void {
  intervals.push(setInterval(() => socket.write(bytes), everyMs))
}

const heads = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const answer = '{"status":"verified"}'

/** What the server does with a request, and how the POSTs then end. */
const lost: Readonly<Record<string, (socket: Socket, request: string) => void>> = {
  'nothing ever comes': () => {},
  'the connection is reset before the headers': (socket) => socket.resetAndDestroy(),
  'the connection is reset in mid-body': (socket) => {
    socket.write(`${heads}content-length: 21\r\n\r\n{"status":"ver`, () => socket.resetAndDestroy())
  },
  'the last chunk never comes': (socket) => {
    socket.end(`${heads}transfer-encoding: chunked\r\n\r\n15\r\n${answer}\r\n`)
  },
  'the body drips': (socket) => {
    socket.write(`${heads}content-length: 100000\r\n\r\n`)
    drip(socket, ' ', 20)
  },
  'the answer is no HTTP': (socket) => socket.end('verified\n'),
  'the headers have no end': (socket) => {
    socket.write(heads)
    drip(socket, `x-filler: ${'y'.repeat(4096)}\r\n`, 5)
  },
  'the server switches protocols unasked': (socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n')
  },
}

describe('a POST may have been acted on, and is not repeated, when', () => {
  test.each(Object.entries(lost))('%s', async (_what, behave) => {
    await start(behave)
    expect(await failureOf(check(hurried))).toMatchObject({ delivery: 'unknown', status: 503 })
    expect(await failureOf(send(hurried))).toMatchObject({ delivery: 'unknown', status: 503 })
    // Fewer where a busy machine halted the process between the start of a request and its first byte.
    expect(server.received.length).toBeLessThanOrEqual(2)
  })
})

describe('an answer without bounds', () => {
  test.each([
    [
      'in chunks',
      `${heads}transfer-encoding: chunked\r\n\r\n`,
      (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`,
    ],
    ['until the connection ends', `${heads}connection: close\r\n\r\n`, (part: string) => part],
  ])('of 100 MB, %s, is dropped at 64 KiB', async (_how, head, chunk) => {
    const part = chunk(' '.repeat(64 * 1024))
    let taken = 0
    await start((socket) => {
      socket.write(head)
      const more = () => {
        while (!socket.destroyed && taken < 104_857_600) {
          taken += part.length
          if (!socket.write(part)) return
        }
      }
      socket.on('drain', more)
      more()
    })
    const before = process.memoryUsage().rss
    const error = await failureOf(check(client))
    expect(error).toMatchObject({ delivery: 'unknown', httpStatus: 200 })
    expect(error.message).toContain('oversize')
    // What the sockets had buffered is all that ever left the server.
    expect(taken).toBeLessThan(16 * 1024 * 1024)
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
  })

  test('when unpacked is never unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024, ' '))
    const head = `${heads}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`
    expect(bomb.length).toBeLessThan(64 * 1024)
    const before = process.memoryUsage().rss
    await start((socket) => {
      socket.write(head)
      socket.write(bomb)
    })
    const error = await failureOf(check(client))
    expect(error).toMatchObject({ delivery: 'answered', httpStatus: 200 })
    expect(error.raw).toBeUndefined()
    expect(process.memoryUsage().rss - before).toBeLessThan(24 * 1024 * 1024)
  })
})

describe('a redirect', () => {
  test.each([302, 308])('%i is an answer: where it points receives nothing', async (status) => {
    const elsewhere = await startSocketServer((socket) => socket.write(answerOf(answer)))
    await start((socket) => {
      const location = `location: ${elsewhere.baseUrl}/2fa/verification-code\r\n`
      socket.write(answerOf(answer, `${status} Moved`, location))
    })
    expect(await check(client)).toEqual({ httpStatus: status, status: 'verified' })
    expect(await failureOf(send(client))).toMatchObject({ delivery: 'answered', httpStatus: status })
    expect(await failureOf(read(client))).toMatchObject({ delivery: 'answered', httpStatus: status })
    expect(elsewhere.connections).toEqual([])
    await elsewhere.close()
  })
})

describe('a connection that is kept', () => {
  test('and broken by the next request loses a POST, which is not repeated', async () => {
    await start((socket, _request, nth) => {
      if (nth === 1) socket.write(answerOf(answer))
      else socket.resetAndDestroy()
    })
    await check(client)
    // The pool takes a connection back one turn of the event loop after its answer.
    await setImmediate()
    expect(await failureOf(check(client))).toMatchObject({ delivery: 'unknown' })
    expect(server.connections).toHaveLength(1)
    expect(server.received).toHaveLength(2)
  })

  test('does not carry a second answer over to the next request', async () => {
    await start((socket, _request, nth) => {
      if (nth === 1) socket.write(answerOf('{"status":"wrong"}') + answerOf('{"status":"verified"}'))
      else socket.write(answerOf('{"status":"wrong"}'))
    })
    expect(await check(client)).toMatchObject({ status: 'wrong' })
    await setImmediate()
    expect(await check(client)).toMatchObject({ status: 'wrong' })
  })

  test('is not the one on which an answer was too late', async () => {
    let late: Socket | undefined
    await start((socket, _request, nth) => {
      if (nth === 1) late = socket
      else late?.write(answerOf('{"status":"verified"}'), () => socket.write(answerOf('{"status":"wrong"}')))
    })
    const code = { phone: canary.phone, appName: 'Acme', code: canary.code }
    const givenUp = () => client.verifyCode(code, { timeoutMs: deadlineMs })
    expect(await lateOnce(() => late !== undefined, givenUp)).toMatchObject({ delivery: 'unknown' })
    expect(await check(client)).toMatchObject({ status: 'wrong' })
    expect(server.received).toHaveLength(2)
  })
})

describe('a provider that says back what it was sent', () => {
  const echoes: Readonly<Record<string, (request: string) => string>> = {
    'as the error': (request) => answerOf(JSON.stringify({ error: request }), '520 Unknown'),
    'as members': (request) => {
      const members = Object.fromEntries(new URLSearchParams(request))
      return answerOf(JSON.stringify({ ...members, error: 1, msg: request }), '520 Unknown')
    },
    'as a page': (request) => answerOf(`<html>${request}</html>`, '520 Unknown'),
    'as a header': (request) => answerOf('', '520 Unknown', `x-echo: ${request.replace(/\s/g, '+')}\r\n`),
    'as broken HTTP': (request) => `HTTP/1.1 200 OK\r\n${request}`,
  }

  test.each(Object.entries(echoes))('%s, shows nothing of it', async (_how, echo) => {
    await start((socket, request, nth) => {
      const form = request.split('\r\n').at(-1) ?? ''
      // As it came, and decoded.
      socket.end(echo(nth % 2 === 0 ? form : decodeURIComponent(form)))
    })
    const sendCode = () => client.sendSmsCode({ phone: canary.phone, appName: 'Acme' })
    for (const call of [send, send, sendCode, sendCode]) await failureOf(call(client))
    await failureOf(client.blockPhone({ phone: canary.phone }))
  })
})
