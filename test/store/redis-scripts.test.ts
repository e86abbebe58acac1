import { expect, test } from 'vitest'
import { runScript, swapScript } from '../../src/store/redis-scripts.js'

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
