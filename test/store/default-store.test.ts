import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { openDefaultStore } from '../../src/store/memory-store.js'

afterEach(() => vi.unstubAllEnvs())

/** The store of an app that passed none, with what it warned of. */
function open(now?: () => number) {
  const warned: string[] = []
  const store = openDefaultStore(now, (code) => warned.push(code))
  return { store, warned }
}

describe('the store of an app that passed none', () => {
  test.each([
    [{}, []],
    [{ NODE_APP_INSTANCE: '0' }, ['TWO_FACTOR_SEVERAL_WORKERS']],
    [{ NODE_ENV: 'production' }, ['TWO_FACTOR_MEMORY_STORE']],
  ])('warns where one process is not enough: %j', (env, warned) => {
    vi.stubEnv('NODE_ENV', 'development')
    vi.stubEnv('NODE_APP_INSTANCE', undefined)
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    expect(open().warned).toEqual(warned)
  })

  test.each([
    ['development', /^started$/, /TWO_FACTOR_SEVERAL_WORKERS/],
    [
      'production',
      /^ERR_TWO_FACTOR_OPTION: memoryStore: cluster workers cannot share it, .*use redisStore$/,
      /^$/,
    ],
  ])('in a forked worker with NODE_ENV=%s: %s', async (NODE_ENV, told, warned) => {
    const program = fileURLToPath(new URL('worker.js', import.meta.url))
    const env = { ...process.env, NODE_ENV, NODE_APP_INSTANCE: undefined }
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], { env })
    expect(stdout).toMatch(told)
    expect(stderr).toMatch(warned)
  })

  test('ends entries by the clock of the app', () => {
    const clock = { at: 0 }
    const { store } = open(() => clock.at)
    store.swap('tf3::auth:a', undefined, 'kept', 1_000)
    clock.at = 999
    expect(store.read('tf3::auth:a')?.value).toBe('kept')
    clock.at = 1_000
    expect(store.read('tf3::auth:a')).toBeUndefined()
  })
})
