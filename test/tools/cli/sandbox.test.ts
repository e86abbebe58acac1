import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { blocksOf, read } from '../../documents.js'
import { get, post } from '../sandbox/wire.js'
import { type Run, run } from './program.js'

/** One that runs at a free port: what it printed, and where its operations are. */
async function running(...args: readonly string[]) {
  const program = run(['sandbox', '--port', '0', ...args])
  const printed = await program.line()
  return { program, printed, baseUrl: /baseUrl +(\S+)/.exec(printed)?.[1] ?? '' }
}

/** The same, with what it prints for programs; the options as they are typed. */
async function runningInJson(options = '') {
  const { program, printed } = await running('--json', ...(options.match(/\S+/g) ?? []))
  return { program, ...JSON.parse(printed) }
}

async function expectEnd(program: Run, signal?: NodeJS.Signals) {
  program.interrupt(signal)
  expect(await program.exitCode).toBe(0)
}

describe('express-two-factor sandbox', () => {
  test('prints the table of its document, serves, and ends with 0 on Ctrl-C', async () => {
    const { program, printed, baseUrl } = await running()
    const table = printed.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:4010')
    expect(blocksOf(read('docs/sandbox.md'), 'console')[0]).toBe(`$ npx express-two-factor sandbox\n${table}`)
    expect((await get(`${baseUrl}/balance`, {})).body).toEqual({ status: 1_000 })
    await expectEnd(program)
    expect(program.err()).toBe('')
  })

  test('prints each message as one line, with nothing in it that a terminal would obey', async () => {
    const { program, baseUrl } = await running()
    const phone = '573001234567'
    await post(`${baseUrl}/2fa/send-sms`, { phone, 'app-name': 'Acme' })
    await post(`${baseUrl}/call/send`, { phone, message: 'Hello \u001b[2J', voice: 'Mia' })
    await program.saying('Hello')
    expect(program.out()).toMatch(/^\d\d:\d\d:\d\d sms {2}→ \+57 300 1234567 Acme \d{6}$/m)
    expect(program.out()).toMatch(/^\d\d:\d\d:\d\d call → \+57 300 1234567 Hello \\u\{1b\}\[2J$/m)
  })

  test('needs Express, and reports it in a sentence', async () => {
    const bare = mkdtempSync(join(tmpdir(), 'sandbox-'))
    onTestFinished(() => rmSync(bare, { recursive: true }))
    // The built files beside every dependency but Express.
    cpSync(new URL('../../../dist', import.meta.url), join(bare, 'dist'), { recursive: true })
    cpSync(new URL('../../../package.json', import.meta.url), join(bare, 'package.json'))
    mkdirSync(join(bare, 'node_modules'))
    for (const name of ['libphonenumber-js', 'undici', 'lru-cache', 'zod']) {
      symlinkSync(
        fileURLToPath(new URL(`../../../node_modules/${name}`, import.meta.url)),
        join(bare, 'node_modules', name),
      )
    }
    const refused = spawnSync(process.execPath, [join(bare, 'dist/tools/cli/index.js'), 'sandbox'], {
      encoding: 'utf8',
      env: { ...process.env, NODE_ENV: '' },
    })
    expect(refused.status).toBe(2)
    expect(refused.stderr).toContain(
      'The sandbox needs Express, which is not installed here: npm install express.',
    )
    expect(refused.stderr).not.toContain('    at ')
  })

  test('takes every option', async () => {
    const { baseUrl, credentials, approvedStatuses } = await runningInJson(
      `--client 7 --key other --credits 5 --dialect observed --wrong-code 200
       --approved-status yes --resend repeat --code-length 4 --code-alphabet AB --code-lifetime-ms 120000
       --app-names Acme,Other --allowed-addresses 127.0.0.1`,
    )
    expect(credentials).toEqual({ client: 7, key: 'other' })
    expect(approvedStatuses).toEqual(['yes'])
    const account = { client: '7', key: 'other', phone: '573001234567' }
    expect((await get(`${baseUrl}/balance`, account)).body).toEqual({ status: 1, balance: 5 })
    const sent = await post(`${baseUrl}/2fa/send-sms`, { ...account, 'app-name': 'Acme' })
    expect(sent.body).toMatchObject({
      minutes_to_expire: 2,
      data: { sms: expect.stringMatching(/^[AB]{4} /) },
    })
    const guess = { ...account, 'app-name': 'Acme', code: 'CCCC' }
    expect(await post(`${baseUrl}/2fa/verification-code`, guess)).toMatchObject({ status: 200 })
    expect((await post(`${baseUrl}/2fa/send-sms`, { ...account, 'app-name': 'Third' })).body.error).toBe(1110)
  })

  test.each([
    [['--credits', 'many'], 'credits must be an integer'],
    [['--dialect', 'french'], 'dialect must be one of spec, observed'],
    [['--nonsense'], '--nonsense'],
    [['--port', ''], 'port must be an integer'],
    [['--host', '203.0.113.7'], '203.0.113.7 is not an address of this machine'],
    [['left', 'over'], 'left'],
  ])('does not understand %j, and names it', async (args, message) => {
    const sandbox = run(['sandbox', ...args])
    expect(await sandbox.exitCode).toBe(2)
    expect(sandbox.err()).toContain(message)
    expect(sandbox.err()).not.toContain('at ')
    expect(sandbox.out()).toBe('')
  })
})

describe('express-two-factor', () => {
  test.each(['sandboxes', 'toString', '__proto__'])('knows no command %s', async (name) => {
    const unknown = run([name])
    expect(await unknown.exitCode).toBe(2)
    expect(unknown.err()).toContain(`Unknown command "${name}"`)
  })
})
