import { EventEmitter } from 'node:events'
import { createClient } from 'redis'
import { expect, it } from 'vitest'
import { redisStore } from '../../src/store/redis-store.js'
import { startHost } from '../express/kit.js'

const offline = 'The client is offline'

/** A client that refuses each command, with the stores of one app on it. */
function startClient(refusal: unknown = new Error(offline), kind: object = { isReady: false }) {
  const sendCommand = async () => {
    throw refusal
  }
  const client = Object.assign(new EventEmitter(), { sendCommand, ...kind })
  const stores = Array.from({ length: 20 }, () => redisStore({ client }))
  const causeOf = async () =>
    Promise.resolve(stores[0]?.read('key')).catch((error: { cause: Error }) => error.cause.message)
  return { client, causeOf }
}

it('a refusal without a connection begins with what became of the connection', async () => {
  const { client, causeOf } = startClient()
  expect(await causeOf()).toBe(offline)
  expect(() => client.emit('error', new Error('connect ECONNREFUSED'))).toThrow('ECONNREFUSED')
  client.on('error', () => {})
  client.emit('error', Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }))
  expect(await causeOf()).toBe(`ECONNREFUSED: ${offline}`)
  client.emit('error', 'lost')
  expect(await causeOf()).toBe(`lost: ${offline}`)
  client.emit('connect')
  expect(await causeOf()).toBe(`no response to a new connection: ${offline}`)
  client.emit('ready')
  expect(await causeOf()).toBe(offline)
  expect(client.listenerCount('connect')).toBe(1)
})

it.each([new Error('OOM command not allowed'), 'OOM'])('another refusal stays: %s', async (refusal) => {
  const { client, causeOf } = startClient(refusal)
  client.emit('connect')
  expect(await causeOf()).toBe(refusal instanceof Error ? refusal.message : refusal)
})

it.each([
  ['a client of redis', { isReady: false }, true],
  ['a client of ioredis', { isCluster: false }, true],
  ['a cluster of ioredis', { isCluster: true }, false],
  ['a cluster of redis', { isReady: false, masters: [] }, false],
  ['a Sentinel client of redis', { isReady: false, getSentinelNode: () => undefined }, false],
  ['another client', {}, false],
])('is named for one connection only: %s', async (_name, kind, isNamed) => {
  const { client, causeOf } = startClient(new Error(offline), kind)
  client.emit('connect')
  expect((await causeOf()) === offline).toBe(!isNamed)
})

it('a client of redis that was never connected is told to connect, also by the self-test', async () => {
  const client = createClient({ url: 'redis://127.0.0.1:1', socket: { reconnectStrategy: false } })
  client.on('error', () => {})
  const { tf } = await startHost({ options: { store: redisStore({ client }) } })
  const causes = async () => {
    const { findings } = await tf.selfTest()
    return findings.filter(({ message }) => message.includes('await client.connect() is missing'))
  }
  expect((await causes()).map(({ code }) => code)).toEqual(['store_failed', 'store_unreachable'])
  await client.connect().catch(() => undefined)
  expect(await causes()).toEqual([])
})
