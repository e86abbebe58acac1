import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { blocksOf, sandboxSection } from '../sandbox/readme-section.js'
import { get, post } from '../sandbox/wire.js'
import { run } from './program.js'

describe('express-two-factor sandbox', () => {
  test('prints where it runs, serves, and ends with 0 on Ctrl-C', async () => {
    const sandbox = run(['sandbox', '--port', '0'])
    const table = await sandbox.line()
    const baseUrl = /baseUrl +(\S+)/.exec(table)?.[1] ?? ''
    expect(table).toContain('Nothing is really sent.')
    expect((await get(`${baseUrl}/balance`, {})).body).toEqual({ status: 1_000 })
    sandbox.interrupt()
    expect(await sandbox.exitCode).toBe(0)
    expect(sandbox.err()).toBe('')
  })

  test.skipIf(sandboxSection() === undefined)('prints the table of the README', async () => {
    const sandbox = run(['sandbox', '--port', '0'])
    const table = (await sandbox.line()).replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:4010')
    expect(blocksOf(sandboxSection() ?? '', 'console')[0]).toBe(`$ npx express-two-factor sandbox\n${table}`)
    sandbox.interrupt()
    expect(await sandbox.exitCode).toBe(0)
  })

  test('ends with 0 when it is asked to terminate, with a page open', async () => {
    const sandbox = run(['sandbox', '--port=0', '--json'])
    const { inboxUrl } = JSON.parse(await sandbox.line())
    const page = await fetch(`${inboxUrl}_sandbox/stream`)
    sandbox.interrupt('SIGTERM')
    expect(await sandbox.exitCode).toBe(0)
    await expect(page.text()).rejects.toThrow()
  })

  test('takes every option', async () => {
    const sandbox = run(
      `sandbox --port 0 --json --client 7 --key other --credits 5 --dialect observed --wrong-code 200
       --approved-status yes --resend repeat --code-length 4 --code-alphabet AB --code-lifetime-ms 120000
       --app-names Acme,Other --allowed-addresses 127.0.0.1`.split(/\s+/),
    )
    const { baseUrl, credentials, approvedStatuses } = JSON.parse(await sandbox.line())
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
    sandbox.interrupt()
    expect(await sandbox.exitCode).toBe(0)
  })

  test('explains itself', async () => {
    const help = run(['sandbox', '--help'])
    expect(await help.exitCode).toBe(0)
    for (const option of ['--port', '--dialect', '--wrong-code', '--code-alphabet', '--json']) {
      expect(help.out()).toContain(option)
    }
  })

  test.each([
    [['--credits', 'many'], 'credits must be a whole number'],
    [['--dialect', 'french'], 'dialect must be one of spec, observed'],
    [['--nonsense'], '--nonsense'],
    [['--port', '70000'], 'port must be a whole number'],
    [['left', 'over'], 'left'],
  ])('does not understand %j, and says what', async (args, message) => {
    const sandbox = run(['sandbox', ...args])
    expect(await sandbox.exitCode).toBe(2)
    expect(sandbox.err()).toContain(message)
    expect(sandbox.err()).not.toContain('at ')
    expect(sandbox.out()).toBe('')
  })

  test('says which port is taken', async () => {
    await using other = await startSandbox()
    const { port } = new URL(other.baseUrl)
    const sandbox = run(['sandbox', '--port', port])
    expect(await sandbox.exitCode).toBe(2)
    expect(sandbox.err()).toContain(`Port ${port} is taken: choose another one with --port`)
  })

  test('has 4010 as its port', async () => {
    const free = await new Promise((resolve) => {
      const probe = createServer()
      probe.once('error', () => resolve(false))
      probe.listen(4010, '127.0.0.1', () => probe.close(() => resolve(true)))
    })
    const sandbox = run(['sandbox', '--json'])
    if (free) {
      expect(JSON.parse(await sandbox.line()).baseUrl).toBe('http://127.0.0.1:4010/v1')
      sandbox.interrupt()
    }
    expect(await sandbox.exitCode).toBe(free ? 0 : 2)
  })

  test('refuses production', async () => {
    const sandbox = run(['sandbox', '--port', '0'], { NODE_ENV: 'production' })
    expect(await sandbox.exitCode).toBe(2)
    expect(sandbox.err()).toContain('NODE_ENV=production')
  })
})

describe('express-two-factor', () => {
  test('lists its commands', async () => {
    const help = run(['--help'])
    expect(await help.exitCode).toBe(0)
    expect(help.out()).toContain('sandbox')
    const bare = run([])
    expect(await bare.exitCode).toBe(2)
    expect(bare.out()).toBe(help.out())
  })

  test.each(['sandboxes', 'toString', '__proto__'])('knows no command %s', async (name) => {
    const unknown = run([name])
    expect(await unknown.exitCode).toBe(2)
    expect(unknown.err()).toContain(`no command "${name}"`)
  })
})
