import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { type Sandbox, startSandbox } from '../../../src/tools/sandbox/index.js'
import { startRedis, withoutRedis } from '../../store/redis-server.js'
import { type Run, run, runInTerminal, withoutTerminal } from './program.js'

const key = 'sandbox-key'
const packages = fileURLToPath(new URL('../../../node_modules/', import.meta.url))

const environment = (baseUrl: string): NodeJS.ProcessEnv => ({
  TWO_FACTOR_BASE_URL: baseUrl,
  TWO_FACTOR_CLIENT: '100200',
  TWO_FACTOR_KEY: key,
  REDIS_URL: '',
})

const doctor = ({ baseUrl }: Pick<Sandbox, 'baseUrl'>, env: NodeJS.ProcessEnv = {}, cwd?: string): Run =>
  run(['doctor'], { ...environment(baseUrl), ...env }, cwd)

/** The folder of an app that has these packages installed, and no others. */
function appWith(...installed: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'two-factor-app-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules'))
  for (const name of installed) symlinkSync(join(packages, name), join(folder, 'node_modules', name))
  return folder
}

describe('express-two-factor doctor', () => {
  test('finds nothing wrong at a healthy account', async () => {
    await using sandbox = await startSandbox()
    const program = doctor(sandbox)
    expect(await program.exitCode).toBe(0)
    const lines = program.out().split('\n')
    const rows = lines.map((line) => /^ {2}(ok|--|WRONG) +(\w+)/.exec(line)?.slice(1).join(' '))
    expect(rows.slice(0, 5)).toEqual(['ok Node', 'ok Express', 'ok Provider', 'ok Clock', '-- Redis'])
    expect(program.out()).toContain('npx express-two-factor calibrate')
    expect(program.out()).toMatch(/\nNothing is wrong\.\n$/)
    expect(program.err()).toBe('')
  })

  test('sends nothing, so it cannot detect that sends and checks hang', async () => {
    await using sandbox = await startSandbox()
    for (const operation of ['sendSmsCode', 'verifyCode'] as const) {
      sandbox.faults.add({ operation, kind: 'hang', times: Number.POSITIVE_INFINITY })
    }
    const program = doctor(sandbox)
    expect(await program.exitCode).toBe(0)
    expect(program.out()).toMatch(/\nNothing is wrong\.\n$/)
    for (const operation of ['sendSmsCode', 'sendCallCode', 'verifyCode'] as const) {
      expect([operation, sandbox.requests.count(operation)]).toEqual([operation, 0])
    }
  })

  test('prints the findings as JSON, each with its code', async () => {
    await using sandbox = await startSandbox({ credits: 0 })
    const program = run(['doctor', '--json'], environment(sandbox.baseUrl))
    expect(await program.exitCode).toBe(1)
    const { ok, version, rows } = JSON.parse(program.out())
    expect([ok, version]).toEqual([false, packageJson.version])
    expect(rows.map(({ code }: { code: string }) => code)).toContain('no_credits')
  })

  test('passes on errors of the provider without the key', async () => {
    await using sandbox = await startSandbox()
    const body = { error: '1', msg: `${key} is unknown, code 4829` }
    sandbox.faults.add({ operation: 'balance', kind: 'status', status: 520, body })
    const program = doctor(sandbox)
    expect(await program.exitCode).toBe(1)
    expect(program.out()).toContain("The provider said: '••• is unknown, code •••'")
  })

  test('looks for Express in the folder of the app', async () => {
    await using sandbox = await startSandbox()
    const bare = doctor(sandbox, {}, appWith())
    expect(await bare.exitCode).toBe(1)
    expect(bare.out()).toMatch(/WRONG +Express +is not installed here\n +Fix: run npm install express@5/)
    const folder = appWith()
    symlinkSync(join(packages, 'express4'), join(folder, 'node_modules/express'))
    const four = doctor(sandbox, {}, folder)
    expect(await four.exitCode).toBe(0)
    expect(four.out()).toMatch(/ok +Express +4\.\d+\.\d+\n/)
  })

  test.each(['redis://app:sesame@127.0.0.1:6379', 'redis://127.0.0.1:6379/0?password=sesame'])(
    'takes no password from the command line, and does not repeat it: %s',
    async (url) => {
      const program = run(['doctor', '--redis-url', url])
      expect(await program.exitCode).toBe(2)
      expect(program.err()).toContain(
        'A password in --redis-url is refused, because every process of this machine can read a command line. Set REDIS_URL.',
      )
      expect(program.err()).not.toContain('sesame')
    },
  )

  test.skipIf(withoutTerminal)('prompts for missing values, with the key hidden', async () => {
    await using sandbox = await startSandbox()
    const program = runInTerminal(['doctor'], { ...environment(sandbox.baseUrl), TWO_FACTOR_KEY: '' })
    await program.saying('Key of the account')
    program.type(`${key}\r`)
    expect(await program.exitCode).toBe(0)
    expect(program.out()).toContain('Nothing is wrong.')
    expect(program.out()).toContain('\u001b[32m')
    expect(program.out()).not.toContain(key)
  })
})

test.skipIf(withoutRedis).each(['redis', 'ioredis'])(
  'express-two-factor doctor asks Redis through the package %s of the app',
  async (name) => {
    await using sandbox = await startSandbox()
    const redis = await startRedis('--requirepass', 'sesame-7')
    onTestFinished(() => redis.kill())
    const url = redis.url.replace('redis://', 'redis://:sesame-7@')
    const program = doctor(sandbox, { REDIS_URL: url }, appWith('express', name))
    expect(await program.exitCode).toBe(0)
    expect(program.out()).toMatch(/ok +Redis +reachable, and evicts no live records\n/)
    expect(program.out() + program.err()).not.toContain('sesame')
  },
)
