import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startSandbox } from '../../../src/tools/sandbox/index.js'

const withoutPython = spawnSync('python3', ['--version']).status !== 0
if (withoutPython) console.warn('skipped, there is no python3: the example in another language')

test.skipIf(withoutPython)('the example in Python drives the sandbox over HTTP only', async () => {
  await using sandbox = await startSandbox()
  const { origin } = new URL(sandbox.baseUrl)
  const script = fileURLToPath(new URL('../../../examples/sandbox.py', import.meta.url))
  const { stdout } = await promisify(execFile)('python3', [script, origin])
  expect(stdout.trim().split('\n')).toEqual([
    'sent 200',
    "wrong code (520, {'error': '1111', 'msg': 'The code is wrong.'})",
    "right code (200, {'status': 'verified'})",
    "late code (520, {'error': '1112', 'msg': 'The code has expired.'})",
    'gateway (504, {})',
  ])
  expect(sandbox.inbox.list()).toHaveLength(3)
})
