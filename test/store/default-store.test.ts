import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { hearPressure, openDefaultStore } from '../../src/store/memory-store.js'

afterEach(() => vi.unstubAllEnvs())

/** The store of an app that passed none, with what it warned of and what was heard of it. */
function open(now?: () => number) {
  const warned: string[] = []
  const events = new Set<string>()
  const store = openDefaultStore(now, (code) => warned.push(code))
  hearPressure(store, (kind, cause) => events.add(`${kind} (${cause})`))
  return { store, events, warned }
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
    store.swap('tf2::auth:a', undefined, 'kept', 1_000)
    clock.at = 999
    expect(store.read('tf2::auth:a')?.value).toBe('kept')
    clock.at = 1_000
    expect(store.read('tf2::auth:a')).toBeUndefined()
  })

  test('tells the app which counters it had to forget', () => {
    const { store, events } = open()
    const count = (tag: number) => store.increment(`tf2::count-auth-address-sends:${tag}`, 3_600_000)
    count(0)
    expect([...events]).toEqual([])
    for (let tag = 1; tag <= 100_000; tag += 1) count(tag)
    expect([...events]).toEqual(['count-auth-address-sends (evicted)'])
  })

  test('tells the app once that a kind of entries has taken 80 % of its room', () => {
    const { store, events } = open()
    const keep = (tag: number) => store.swap(`tf2::forms:${tag}`, undefined, 'kept', 3_600_000)
    for (let tag = 1; tag < 800; tag += 1) keep(tag)
    expect([...events]).toEqual([])
    for (let tag = 800; tag <= 1_000; tag += 1) keep(tag)
    expect([...events]).toEqual(['forms (nearly-full)'])
  })
})
