import { execFile as execFileBack } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { run, runToEnd } from './running.js'

const execFile = promisify(execFileBack)

it.each([
  ["the provider's codes", []],
  ['codes of its own', ['--own-codes']],
])(
  'the walkthrough goes through sign-in, step-up and sign-up on %s, and ends with 0',
  async (_name, more) => {
    const { code, output } = await runToEnd('start', ['--walkthrough', ...more])
    expect(code).toBe(0)
    expect(output.match(/^ {4}\d{3}(?= )/gm)?.map(Number)).toEqual([
      // sign-in: password, guarded, start, wrong code, right code, guarded, guarded with the old cookie
      200, 403, 201, 422, 200, 200, 401,
      // step-up: guarded, start, right code, another amount, the transfer, once more
      403, 201, 200, 403, 200, 403,
      // sign-up: start, right code, the account, another account
      201, 200, 201, 403,
    ])
    expect(output).toContain('"attemptsRemaining":4')
    expect(output).toContain('17 requests, each answered as it should be.')
  },
)

it('npm start -- --help prints the options without a build', async () => {
  expect(packageJson.scripts.start).toBe('node scripts/start.js')
  const script = fileURLToPath(new URL('../../scripts/start.js', import.meta.url))
  const { stdout } = await execFile(process.execPath, [script, '--help'])
  expect(stdout).toMatch(/^npm start .*\n(npm start -- --.*\n){4}$/)
  expect((await runToEnd('start', ['--help'])).output).toBe(stdout)
})

it('npm start names both addresses, and a signal ends it with 0', async () => {
  const demo = await run('start')
  const inbox = await fetch(demo.inboxUrl)
  expect(await inbox.text()).toMatch(/nothing is really sent/i)
  const stage = await fetch(demo.origin)
  expect(await stage.text()).toContain('<title>Demo bank on stage</title>')
  expect(await demo.stop()).toBe(0)
})
