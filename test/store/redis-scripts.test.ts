import { expect, test } from 'vitest'
import { runScript, script } from '../../src/store/redis-connection.js'

const known = script('return 1')

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
  expect(await runScript(send, known, 'key')).toEqual([1])
  expect(sent).toEqual(['evalsha', 'eval'])
})

test.each([
  'READONLY You can not write against a read only replica.',
  'Connection is closed.',
  'no NOSCRIPT',
])('after any other error it is not sent again, for it may have run: %s', async (message) => {
  const { sent, send } = refusing(message)
  await expect(runScript(send, known, 'key')).rejects.toThrow(message)
  expect(sent).toEqual(['evalsha'])
})

test('what is no error at all is passed on, and nothing is sent again', async () => {
  let sent = 0
  const send = () => {
    sent += 1
    return Promise.reject({ message: 'NOSCRIPT' })
  }
  await expect(runScript(send, known, 'key')).rejects.toEqual({ message: 'NOSCRIPT' })
  expect(sent).toBe(1)
})

test('a script names its one key, and passes its arguments on', async () => {
  const sent: string[][] = []
  const send = async (key: string, args: string[]) => {
    sent.push([key, ...args])
    if (args[0] === 'evalsha') throw new Error('NOSCRIPT')
  }
  await runScript(send, known, 'a key', ['1000', '1'])
  await runScript(send, known, 'a key')
  expect(sent).toEqual([
    ['a key', 'evalsha', known.sha, '1', 'a key', '1000', '1'],
    ['a key', 'eval', known.source, '1', 'a key', '1000', '1'],
    ['a key', 'evalsha', known.sha, '1', 'a key'],
    ['a key', 'eval', known.source, '1', 'a key'],
  ])
})
