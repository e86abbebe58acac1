import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { RunCommand } from '../../src/store/redis-connection.js'
import { keepsSilentConnection, replaceSilentConnection } from '../../src/store/silent-connection.js'

const intervalMs = 20
/** The silence after which a connection is replaced. */
const silenceMs = 5 * intervalMs

/** A client whose connections respond as the test says. */
function startClient(respond: RunCommand, connect: () => Promise<unknown> = async () => {}) {
  const calls: string[] = []
  const client = Object.assign(new EventEmitter(), {
    isOpen: true,
    isReady: true,
    async connect() {
      calls.push('connect')
      await connect()
      client.isReady = true
    },
    destroy() {
      calls.push('destroy')
      client.isReady = false
    },
  })
  return { client, calls, send: replaceSilentConnection(client, respond, intervalMs) }
}

const never = () => new Promise<never>(() => {})

it('replaces a connection that returns nothing, once', async () => {
  const { send, calls } = startClient(never)
  void send('key', ['GET'])
  void send('key', ['GET'])
  await expect.poll(() => calls).toEqual(['destroy', 'connect'])
})

it('keeps a connection that responds, however slow some commands are', async () => {
  let isSlow = true
  const { send, calls } = startClient(() => (isSlow ? never() : Promise.resolve('OK')))
  void send('key', ['GET'])
  isSlow = false
  for (let waitedMs = 0; waitedMs < 2 * silenceMs; waitedMs += intervalMs) {
    expect(await send('key', ['GET'])).toBe('OK')
    await sleep(intervalMs)
  }
  expect(calls).toEqual([])
})

it('replaces a connection that becomes silent between two commands', async () => {
  let isSilent = false
  const { send, calls } = startClient(() => (isSilent ? never() : Promise.resolve('OK')))
  await send('key', ['GET'])
  isSilent = true
  await expect.poll(() => calls).toEqual(['destroy', 'connect'])
})

it('sends a command of its own only after a pause, and until the owner closes the client', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const sent: string[] = []
  const { client, send } = startClient(async (_key, args) => sent.push(args.join(' ')))
  for (let busyMs = 0; busyMs < silenceMs; busyMs += intervalMs) {
    await send('key', ['GET'])
    await vi.advanceTimersByTimeAsync(intervalMs)
  }
  expect(new Set(sent.splice(0))).toEqual(new Set(['GET']))
  await vi.advanceTimersByTimeAsync(3 * intervalMs)
  expect(sent).toEqual(['exists key', 'exists key'])
  client.isOpen = false
  await vi.advanceTimersByTimeAsync(silenceMs)
  expect(sent).toHaveLength(2)
})

it.each([
  ['counts an error reply as a response', true],
  ['counts no error as a response while the client has no connection', false],
])('%s', async (_title, isReady) => {
  const { client, send, calls } = startClient(() => Promise.reject(new Error('no')))
  client.isReady = isReady
  await expect(send('key', ['GET'])).rejects.toThrow('no')
  await sleep(2 * silenceMs)
  expect(calls).toEqual([])
})

it('tries again while new connections are silent, too', async () => {
  let attempts = 0
  const { send, calls } = startClient(never, async () => {
    attempts += 1
    if (attempts === 1) throw new Error('connection refused')
    if (attempts === 2) await sleep(2 * silenceMs)
  })
  void send('key', ['GET'])
  await expect.poll(() => calls.length).toBeGreaterThanOrEqual(6)
  expect(calls.slice(0, 6)).toEqual(['destroy', 'connect', 'destroy', 'connect', 'destroy', 'connect'])
})

it('leaves a client closed that its owner closed during the silence', async () => {
  const { client, send, calls } = startClient(never)
  void send('key', ['GET'])
  client.isOpen = false
  await sleep(3 * silenceMs)
  expect(calls).toEqual([])
})

it('replaces a connection of the client itself whose handshake gets no response, once', async () => {
  const { client, calls } = startClient(never, async () => client.emit('connect'))
  client.isReady = false
  client.emit('connect')
  await sleep(3 * intervalMs)
  expect(calls).toEqual([])
  await expect.poll(() => calls).toEqual(['destroy', 'connect'])
  await sleep(2 * silenceMs)
  expect(calls).toEqual(['destroy', 'connect'])
})

it('keeps one replacement while the handshakes of its connections get no response', async () => {
  const { client, calls } = startClient(never, async () => {
    client.emit('connect')
    await sleep(2 * silenceMs)
    throw new Error('destroyed')
  })
  client.isReady = false
  client.emit('connect')
  await expect.poll(() => calls.length, { timeout: 3_000 }).toBeGreaterThanOrEqual(6)
  expect(calls.slice(0, 6)).toEqual(['destroy', 'connect', 'destroy', 'connect', 'destroy', 'connect'])
})

it('leaves the attempts of a client alone that report an error or become ready', async () => {
  const { client, calls } = startClient(never)
  client.on('error', () => {})
  client.isReady = false
  client.emit('connect')
  await sleep(3 * intervalMs)
  client.emit('error', new Error('closed'))
  await sleep(silenceMs)
  client.emit('connect')
  client.isReady = true
  await sleep(2 * silenceMs)
  expect(calls).toEqual([])
})

it.each([
  ['a cluster client', { masters: [] }],
  ['a Sentinel client', { getSentinelNode: () => undefined }],
])('leaves the connections of %s to it', (_title, members) => {
  const { client } = startClient(never)
  expect(keepsSilentConnection(client)).toBe(true)
  expect(keepsSilentConnection(Object.assign(client, members))).toBe(false)
})

it('has one heartbeat and one set of listeners for all stores of a client', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const sent: string[] = []
  const respond: RunCommand = async (_key, args) => sent.push(args.join(' '))
  const { client } = startClient(respond)
  for (const key of ['a', 'b', 'c']) await replaceSilentConnection(client, respond, intervalMs)(key, ['GET'])
  await vi.advanceTimersByTimeAsync(3 * intervalMs)
  expect(sent.slice(3)).toEqual(['exists a'])
  expect(client.listenerCount('connect')).toBe(1)
})
