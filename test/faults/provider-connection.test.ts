import type { Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FailureReason, ProviderClient } from '../../src/provider/index.js'
import { selfSigned } from '../self-signed.js'
import { canaryClient, check, deadlineMs, failureOf, lateOnce, read, send, warmUp } from './failing-call.js'
import { answerOf, type SocketServer, startSocketServer } from './socket-server.js'

const open: { close(): Promise<unknown> }[] = []
function closing<Resource extends { close(): Promise<unknown> }>(resource: Resource): Resource {
  open.push(resource)
  return resource
}
beforeAll(warmUp)
afterAll(() => Promise.all(open.map((resource) => resource.close())))

const hurried = (baseUrl: string) => canaryClient(baseUrl, { timeoutMs: deadlineMs })

/** Nothing of any of the calls may have left. */
async function expectNotSent(
  client: ProviderClient,
  cause: RegExp,
  reason: readonly FailureReason[],
): Promise<void> {
  for (const call of [check, send, read]) {
    const error = await failureOf(call(client))
    expect(error).toMatchObject({ delivery: 'not-sent', code: 'provider_unavailable' })
    expect(error.message).toMatch(cause)
    expect(reason).toContain(error.reason)
  }
}

describe('nothing was sent when', () => {
  test('the connection is refused', async () => {
    const gone = await startSocketServer(() => {})
    await gone.close()
    await expectNotSent(closing(canaryClient(gone.baseUrl)), /ECONNREFUSED/, ['refused'])
  })

  test('the host has no address', async () => {
    const client = closing(hurried('https://provider.invalid/v1'))
    await expectNotSent(client, /ENOTFOUND|EAI_AGAIN|EAI_FAIL|deadline/, ['dns', 'timeout'])
  })

  test('the server does not use TLS', async () => {
    const server = closing(
      await startSocketServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    )
    const client = closing(canaryClient(`https://127.0.0.1:${server.port}/v1`))
    await expectNotSent(client, /EPROTO|ERR_SSL/, ['tls'])
    expect(server.received.join()).not.toContain('verification')
  })

  test('the server closes the connection in the handshake', async () => {
    const server = closing(await startSocketServer((socket) => socket.resetAndDestroy()))
    await expectNotSent(closing(hurried(`https://127.0.0.1:${server.port}/v1`)), /ECONNRESET|deadline/, [
      'reset',
      'timeout',
    ])
  })

  test('the handshake never ends', async () => {
    const server = closing(await startSocketServer(() => {}))
    await expectNotSent(closing(hurried(`https://127.0.0.1:${server.port}/v1`)), /deadline/, ['timeout'])
  })

  test('the certificate is not trusted, and the server reads nothing', async () => {
    const read: string[] = []
    const sockets: TLSSocket[] = []
    const server = createTlsServer(selfSigned, (socket) => {
      sockets.push(socket)
      socket.on('data', (chunk) => read.push(chunk.toString()))
      socket.on('error', () => {})
    })
    server.on('tlsClientError', () => {})
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    await expectNotSent(closing(canaryClient(`https://127.0.0.1:${port}/v1`)), /CERT/, ['tls'])
    expect(read).toEqual([])
    for (const socket of sockets) socket.destroy()
    server.close()
  })
})

describe('behind a busy connection', () => {
  let server: SocketServer

  /** Answers `slow` when told, everything else at once. */
  async function startBusy() {
    let slow: Socket | undefined
    server = closing(
      await startSocketServer((socket, request) => {
        if (request.includes('code=slow')) slow = socket
        else socket.write(answerOf('{"status":"verified"}'))
      }),
    )
    const dispatcher = closing(new Pool(new URL(server.baseUrl).origin, { connections: 1 }))
    const client = closing(canaryClient(server.baseUrl, { dispatcher }))
    const ask = (code: string, timeoutMs = 60_000, signal?: AbortSignal) =>
      client.verifyCode({ phone: '573001234567', appName: 'Acme', code }, { timeoutMs, signal })
    const codes = () => server.received.map((request) => /code=([\w-]+)/.exec(request)?.[1])
    return { ask, codes, answerSlow: () => slow?.write(answerOf('{"status":"slow"}')) }
  }

  test('a call that is given up while it waits never leaves later, and costs no connection', async () => {
    const { ask, codes, answerSlow } = await startBusy()
    const first = ask('slow')
    const givenUp = Array.from({ length: 20 }, (_, nth) => failureOf(ask(`waits-${nth}`, deadlineMs)))
    for (const error of await Promise.all(givenUp)) {
      expect(error).toMatchObject({ delivery: 'not-sent' })
      expect(error.message).toContain('deadline')
    }
    answerSlow()
    expect(await first).toMatchObject({ status: 'slow' })
    expect(await ask('next')).toMatchObject({ status: 'verified' })
    expect(codes()).toEqual(['slow', 'next'])
    expect(server.connections).toHaveLength(1)
  })

  test('a sent call that is cancelled reports it, and its late response is dropped', async () => {
    const { ask, codes, answerSlow } = await startBusy()
    const late = await lateOnce(
      () => codes().includes('slow'),
      () => ask('slow', deadlineMs),
    )
    expect(late).toMatchObject({ delivery: 'unknown', code: 'verification_unavailable' })
    answerSlow()
    expect(await ask('next')).toMatchObject({ status: 'verified' })
    expect(codes()).toEqual(['slow', 'next'])
  })
})
