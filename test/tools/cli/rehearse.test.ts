import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Sandbox, startSandbox } from 'express-two-factor/sandbox'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { runToEnd } from '../../examples/running.js'
import { freePort } from '../../free-port.js'
import { listening } from '../../listening.js'
import { createBank, type Wiring } from '../testing/bank.js'
import { run } from './program.js'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(() => sandbox.close())

const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'))

/** A plan for the bank, with these members besides or in place of its own. */
function planWith(name: string, more = ''): string {
  const file = join(folder, `${name}.mjs`)
  writeFileSync(
    file,
    `export default {
      person: (index) => ({
        name: \`person-\${index}\`, password: \`sesame-\${index}\`, phone: '+57301' + String(index).padStart(7, '0'),
      }),
      signIn: (agent, { name, password }) => agent.post('/login', { name, password }),
      pages: ['/account'],
      ${more}
    }`,
  )
  return file
}
const plan = planWith('plan')
const failing = "() => { throw new Error('db down') }"

/** A bank of this process that sends its codes through this sandbox, with people for the plan. */
async function bankOn(sandbox: Sandbox, wiring: Partial<Wiring> = {}) {
  const rehearsal = createBank(sandbox, wiring)
  for (let index = 1; index <= 200; index += 1) await rehearsal.person(index)
  const { origin, close } = await listening(rehearsal.app as never)
  onTestFinished(close)
  return { origin, rehearsal }
}

/** Runs the program on a bank of this process, whose provider is the sandbox that the program starts. */
async function rehearsed(more: readonly string[], wiring: Partial<Wiring> = {}, file = plan) {
  const port = await freePort()
  const { origin } = await bankOn(
    { ...sandbox, baseUrl: sandbox.baseUrl.replace(/:\d+/, `:${port}`) },
    wiring,
  )
  return run(['rehearse', origin, '--plan', file, '--sandbox', String(port), ...more])
}

it.each<[string, Partial<Wiring>, string, number, RegExp]>([
  ['nobody can sign in', {}, `signIn: ${failing}`, 2, /^Not tried: sign-in: .*db down\n/],
  ['a row fell', { cookie: { sameSite: 'lax', httpOnly: false } }, '', 1, /\nFELL {3}cookies: /],
])('says by its exit code that %s', async (what, wiring, more, exitCode, told) => {
  const file = planWith(what.replaceAll(' ', '-'), more)
  const program = await rehearsed(['--max-requests', '1000'], wiring, file)
  expect(await program.exitCode).toBe(exitCode)
  expect(program.out()).toMatch(told)
})

it('rehearses an app of another process, and reports the skipped rows', async () => {
  const program = await rehearsed(['--max-requests', '1000', '--only', 'warnings'])
  expect(await program.exitCode).toBe(0)
  expect(program.out()).toContain('held   password-only: no page is shown without a code')
  expect(program.out()).toContain('not tried: the app runs in another process, and the plan has no `logs`')
  expect(program.out()).toContain('its routes: routes that the plan does not name are not attacked')
  expect(program.out()).toMatch(/\n\d+ held, 0 fell, \d+ not tried: \d+ requests/)
})

it.each([
  [[], 'The address of the app is missing'],
  [['http://example.com', '--record', '/'], 'http://example.com must be an address on this machine'],
  [['http://localhost:3000/shop', '--plan', plan], 'put /shop into the paths of the plan'],
  [
    ['http://localhost:3000', '--plan', plan, '--sandbox', 'http://127.0.0.1:1'],
    'no sandbox responds at http://127.0.0.1:1',
  ],
  [['http://localhost:3000', '--plan', '/nowhere.mjs'], 'The file /nowhere.mjs does not exist'],
  [
    ['http://localhost:3000', '--plan', planWith('empty', 'pages: []')],
    'the plan has neither pages nor actions',
  ],
  [
    [
      'http://localhost:3000',
      '--plan',
      planWith('misspelt', "actions: [{ name: 'a', path: '/a', change: {} }]"),
    ],
    'unknown option "actions[0].change"; did you mean "changed"?',
  ],
])('says what is missing: %j', async (args, message) => {
  const program = run(['rehearse', ...args])
  expect(await program.exitCode).toBe(2)
  expect(program.err()).toContain(message)
})

it('npm start -- --rehearse attacks the bank, finds nothing and ends with 0', async () => {
  const { code, output } = await runToEnd('start', ['--rehearse'])
  expect(code).toBe(0)
  expect(output).toMatch(/\n\d+ held, 0 fell, \d+ not tried: \d{4} requests in [\d.]+ s\.\n/)
})
