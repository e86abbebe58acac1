import { createClient } from 'redis'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { incrementScript, inspectScript, runScript, swapScript } from '../../src/store/redis-scripts.js'
import { type RedisServer, startRedis, withoutRedis } from './redis-server.js'

/** A server that refuses the script by its hash with this error. */
function refusing(message: string) {
  const sent: (string | undefined)[] = []
  const send = async (_key: string, [command]: string[]) => {
    sent.push(command)
    if (command === 'evalsha') throw new Error(message)
    return [1]
  }
  return { sent, send }
}

test('a script is sent whole to a server that does not have it', async () => {
  const { sent, send } = refusing('NOSCRIPT No matching script')
  expect(await runScript(send, swapScript, 'key')).toEqual([1])
  expect(sent).toEqual(['evalsha', 'eval'])
})

test.each([
  'READONLY You can not write against a read only replica.',
  'Connection is closed.',
  'no NOSCRIPT',
])('after any other error it is not sent again, for it may have run: %s', async (message) => {
  const { sent, send } = refusing(message)
  await expect(runScript(send, swapScript, 'key')).rejects.toThrow(message)
  expect(sent).toEqual(['evalsha'])
})

test('what is no error at all is passed on, and nothing is sent again', async () => {
  let sent = 0
  const send = () => {
    sent += 1
    return Promise.reject({ message: 'NOSCRIPT' })
  }
  await expect(runScript(send, swapScript, 'key')).rejects.toEqual({ message: 'NOSCRIPT' })
  expect(sent).toBe(1)
})

test('a script names its one key, and passes its arguments on', async () => {
  const sent: string[][] = []
  const send = async (key: string, args: string[]) => {
    sent.push([key, ...args])
    if (args[0] === 'evalsha') throw new Error('NOSCRIPT')
  }
  await runScript(send, incrementScript, 'a key', ['1000', '1'])
  await runScript(send, inspectScript, 'a key')
  expect(sent).toEqual([
    ['a key', 'evalsha', incrementScript.sha, '1', 'a key', '1000', '1'],
    ['a key', 'eval', incrementScript.source, '1', 'a key', '1000', '1'],
    ['a key', 'evalsha', inspectScript.sha, '1', 'a key'],
    ['a key', 'eval', inspectScript.source, '1', 'a key'],
  ])
})

describe.skipIf(withoutRedis)('on a real Redis', () => {
  let server: RedisServer
  let client: ReturnType<typeof createClient>
  const sent: (string | undefined)[] = []
  const send = (_key: string, args: string[]) => {
    sent.push(args[0])
    return client.sendCommand(args)
  }
  beforeAll(async () => {
    server = await startRedis()
    client = createClient({ url: server.url })
    await client.connect()
  })
  beforeEach(() => client.sendCommand(['FLUSHALL']))
  afterAll(async () => {
    client.destroy()
    await server.kill()
  })
  const lifetime = async () => Number(await client.sendCommand(['PTTL', 'k']))

  test('a swap puts, replaces and removes what has the version expected', async () => {
    const swap = (...args: string[]) => runScript(send, swapScript, 'k', args)
    expect(await swap('', 'v1\n{}', '60000')).toEqual([1])
    expect(await swap('', 'v2\n{}', '60000')).toEqual([0, 'v1\n{}'])
    expect(await swap('v', 'v2\n{}', '60000')).toEqual([0, 'v1\n{}'])
    expect(await swap('v1', 'v2\n{}', '90000')).toEqual([1])
    expect(await lifetime()).toBeGreaterThan(60_000)
    // The same entry once more: a client has sent it twice.
    expect(await swap('v1', 'v2\n{}', '60000')).toEqual([1])
    expect(await swap('v1', '')).toEqual([0, 'v2\n{}'])
    expect(await swap('v2', '')).toEqual([1])
    expect(await client.sendCommand(['EXISTS', 'k'])).toBe(0)
    expect(await swap('v2', 'v3\n{}', '60000')).toEqual([0, null])
  })

  test('a counter gets its end with its first hit, and keeps it', async () => {
    const add = (windowMs: string, by: string) => runScript(send, incrementScript, 'k', [windowMs, by])
    expect(await add('60000', '0')).toEqual([0, 60_000])
    expect(await add('60000', '-1')).toEqual([0, 60_000])
    expect(await client.sendCommand(['EXISTS', 'k'])).toBe(0)
    expect(await add('60000', '2')).toEqual([2, 60_000])
    const [count, rest] = (await add('90000', '1')) as number[]
    expect([count, Number(rest) <= 60_000, Number(rest) > 30_000]).toEqual([3, true, true])
    expect(await add('60000', '0')).toMatchObject([3, expect.any(Number)])
    expect(await add('60000', '-2')).toMatchObject([1, expect.any(Number)])
    expect(await add('60000', '-1')).toEqual([0, 60_000])
    expect(await client.sendCommand(['EXISTS', 'k'])).toBe(0)
  })

  test('a node reports who it is, what it may forget and what time it has', async () => {
    const [id, port, version, eviction, role, replicas, seconds, micros] = (await runScript(
      send,
      inspectScript,
      'k',
    )) as string[]
    expect(id).toMatch(/^[\da-f]{40}$/)
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
    expect([port, eviction, role, replicas]).toEqual([`${server.port}`, 'noeviction', 'master', '0'])
    expect(Math.abs(Number(seconds) * 1_000 - Date.now())).toBeLessThan(60_000)
    expect(Number(micros)).toBeLessThan(1_000_000)
  })

  test('a script is cached by its hash', async () => {
    await client.sendCommand(['SCRIPT', 'FLUSH'])
    sent.length = 0
    await runScript(send, swapScript, 'k', ['', 'v1\n{}', '60000'])
    await runScript(send, swapScript, 'k', ['v1', ''])
    expect(sent).toEqual(['evalsha', 'eval', 'evalsha'])
  })
})
