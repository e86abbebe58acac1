import { connect, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { Worker } from 'node:worker_threads'
import { Pool } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FailureReason, ProviderClient } from '../../src/provider/index.js'
import { canaryClient, check, deadlineMs, failureOf, lateOnce, read, send, warmUp } from './failing-call.js'
import { selfSigned } from './self-signed.js'
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

  test('the other side does not speak TLS', async () => {
    const server = closing(
      await startSocketServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    )
    const client = closing(canaryClient(`https://127.0.0.1:${server.port}/v1`))
    await expectNotSent(client, /EPROTO|ERR_SSL/, ['tls'])
    expect(server.received.join()).not.toContain('verification')
  })

  test('the other side hangs up in the handshake', async () => {
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

  test('the call was aborted before', async () => {
    const server = closing(await startSocketServer((socket) => socket.write(answerOf('{}'))))
    const client = closing(canaryClient(server.baseUrl))
    const error = await failureOf(client.balance({ signal: AbortSignal.abort() }))
    expect(error).toMatchObject({ delivery: 'not-sent', reason: 'aborted' })
    expect(server.received).toEqual([])
  })
})

describe('behind a full listen backlog', () => {
  test('a call ends at its deadline as not sent, and never leaves later', async () => {
    const backlog = await startFullBacklog()
    const dispatcher = closing(new Pool(new URL(backlog.baseUrl).origin, { connections: 1 }))
    const client = closing(canaryClient(backlog.baseUrl, { dispatcher }))
    const code = { phone: '+573001234567', appName: 'Acme', code: 'given-up' }
    const givenUp = await failureOf(client.verifyCode(code, { timeoutMs: deadlineMs }))
    expect(givenUp).toMatchObject({ delivery: 'not-sent' })
    expect(givenUp.message).toContain('deadline')

    // One connection: the second call leaves over the one that the first was waiting for.
    backlog.accept()
    await client.verifyCode({ ...code, code: 'kept' })
    const requests = await backlog.close()
    expect(requests).toContain('code=kept')
    expect(requests).not.toContain('code=given-up')
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

  test('a call that is given up when it has left says so, and its late answer meets nobody', async () => {
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

/** A server in a thread that is blocked: the kernel takes connections until the backlog is full, nobody else does. */
async function startFullBacklog() {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(
    `const { parentPort, workerData: gate } = require('node:worker_threads')
    const received = []
    const server = require('node:net').createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        received.push(String(chunk))
        socket.write('HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\n{}')
      })
    })
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port)
      Atomics.wait(gate, 0, 0, 60_000)
    })
    parentPort.on('message', () => parentPort.postMessage(received.join('\\n')))`,
    { eval: true, workerData: gate },
  )
  const said = <Said>() => new Promise<Said>((resolve) => worker.once('message', resolve))
  const port = await said<number>()

  const fillers: Socket[] = []
  for (let full = false; !full && fillers.length < 64; ) {
    const filler = connect(port, '127.0.0.1')
    filler.on('error', () => {})
    fillers.push(filler)
    full = await new Promise<boolean>((known) => {
      filler.once('connect', () => known(false))
      setTimeout(known, 150, true)
    })
  }
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    accept() {
      Atomics.store(gate, 0, 1)
      Atomics.notify(gate, 0)
    },
    /** Ends the server and gives everything that it received. */
    async close(): Promise<string> {
      const answer = said<string>()
      worker.postMessage('received?')
      const received = await answer
      for (const filler of fillers) filler.destroy()
      await worker.terminate()
      return received
    },
  }
}
