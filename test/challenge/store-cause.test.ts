import { expect, it } from 'vitest'
import { storeCause } from '../../src/challenge/store-cause.js'
import { TwoFactorError } from '../../src/errors.js'

const wrapped = (cause: unknown) => new TwoFactorError('store_unavailable', { message: 'of no use', cause })
const coded = (message: string, code: string) => Object.assign(new Error(message), { code })

it.each([
  [new Error('connect ECONNREFUSED 10.0.0.7:6379'), 'ECONNREFUSED'],
  [coded('getaddrinfo ENOTFOUND redis.example.com', 'ENOTFOUND'), 'ENOTFOUND'],
  // Refused at several addresses, Node has no message.
  [coded('', 'ECONNREFUSED'), 'ECONNREFUSED'],
  [new Error("OOM command not allowed when used memory > 'maxmemory'."), 'OOM'],
  [new Error('no response within 250 ms'), 'no response within 250 ms'],
  [new Error('no response to a new connection: The client is offline'), 'no response to a new connection'],
  [new Error('connect ECONNREFUSED 10.0.0.7:6379: The client is offline'), 'ECONNREFUSED'],
  [new Error("Socket timeout: Stream isn't writeable"), "Stream isn't writeable"],
  [new Error('Connection is closed.'), 'Connection is closed'],
  // What `redis` and `ioredis` say while Redis is away, with the settings that are asked for.
  [new Error('The client is offline'), 'client is offline'],
  [new Error('Socket closed unexpectedly'), 'Socket closed unexpectedly'],
  [new Error("Stream isn't writeable and enableOfflineQueue options is false"), "Stream isn't writeable"],
  [new Error('no replica has confirmed the change'), 'no replica has confirmed'],
  // SQLSTATE: too many connections.
  [coded('sorry, too many clients already', '53300'), '53300'],
  // Whatever else a client says may quote what it was given.
  [new RangeError('cannot store 482913 for +573001234567 with key k-1'), 'RangeError'],
  [coded('tf3::auth:x', 'my key'), 'Error'],
  ['a string', 'unknown'],
  [undefined, 'unknown'],
])('of %j is told %j', (error, cause) => {
  expect(storeCause(error)).toBe(cause)
  expect(storeCause(wrapped(error))).toBe(error === undefined ? 'store_unavailable' : cause)
})
