import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Sandbox, startSandbox } from 'express-two-factor/sandbox'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { runToEnd } from '../../examples/running.js'
import { freePort } from '../../free-port.js'
import { listening } from '../../listening.js'
import { createBank, parse, type Wiring } from '../testing/bank.js'
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
const transfer = "name: 'transfer', path: '/transfers', body: { amount: 5, payee: 'Luis' }"

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

/** After the first sign-in the password route lets nobody in, and the page asks for no code. */
const limitedAndOpen: Partial<Wiring> = {
  front({ app }) {
    let count = 0
    app.post('/login', (_req, res, next) => {
      count += 1
      if (count > 1) res.sendStatus(429)
      else next()
    })
  },
  account: ({ app }) => {
    app.get('/account', (req, res) => {
      const name = req.session.pendingUserId ?? req.session.userId
      if (name === undefined) res.sendStatus(401)
      else res.json({ name })
    })
  },
}
/** It answers as if it had done something. */
const idle: Partial<Wiring> = {
  transfers: ({ app, tf }, guard) => {
    app.post('/transfers', parse, tf.requireTwoFactor(guard), (_req, res) => void res.json({ sent: 5 }))
  },
}
const broken: Partial<Wiring> = {
  transfers: ({ app, tf }, guard) => {
    app.post('/transfers', parse, tf.requireTwoFactor(guard), (_req, res) => void res.sendStatus(500))
  },
}

it.each([
  ['a person cannot be made', {}, `person: ${failing}`, 2, /^Not tried: sign-in: .*db down\n/],
  ['nobody can sign in', {}, `signIn: ${failing}`, 2, /^Not tried: sign-in: .*db down\n/],
  [
    'a limiter hides a leak',
    limitedAndOpen,
    '',
    2,
    /^Not tried: \S+: POST \/login answered 429: lift the limiter/,
  ],
  ['an action is not done', idle, `actions: [{ ${transfer}, done: () => 0 }]`, 1, /FELL {3}confirmed-action/],
  [
    'an action fails',
    broken,
    `actions: [{ ${transfer} }]`,
    1,
    /-- {5}without-code: .*\n.*was not done with its code/,
  ],
])('says by its exit code that %s', async (what, wiring, more, exitCode, told) => {
  const file = planWith(what.replaceAll(' ', '-'), more)
  const program = await rehearsed(['--max-requests', '500'], wiring, file)
  expect(await program.exitCode).toBe(exitCode)
  expect(program.out()).toMatch(told)
})

it('ends with 2 where the app does not run', async () => {
  const sandboxPort = String(await freePort())
  const program = run(['rehearse', 'http://127.0.0.1:1', '--plan', plan, '--sandbox', sandboxPort])
  expect(await program.exitCode).toBe(2)
  expect(program.out()).toMatch(/^Not tried: sign-in: .*nothing listens at http:\/\/127\.0\.0\.1:1\n/)
  expect(program.out()).toMatch(/\n0 held, 0 fell, 31 not tried: /)
})

it('rehearses an app of another process, and says what it could not try', async () => {
  const program = await rehearsed(['--max-requests', '500', '--only', 'warnings'])
  expect(await program.exitCode).toBe(0)
  expect(program.out()).toContain('held   password-only: a password alone shows no page')
  expect(program.out()).toContain('not tried: the app runs in another process, and the plan has no `logs`')
  expect(program.out()).toMatch(/\n\d+ held, 0 fell, \d+ not tried: \d+ requests/)
})

it.each([
  [[], 'The address of the app is missing'],
  [['http://example.com', '--record', '/'], 'http://example.com must be an address on this machine'],
  [
    ['http://localhost:3000', '--plan', plan, '--sandbox', 'http://127.0.0.1:1'],
    'no sandbox answers at http://127.0.0.1:1',
  ],
  [['http://localhost:3000', '--plan', '/nowhere.mjs'], 'There is no /nowhere.mjs here'],
])('says what is missing: %j', async (args, message) => {
  const program = run(['rehearse', ...args])
  expect(await program.exitCode).toBe(2)
  expect(program.err()).toContain(message)
})

it('npm start -- --rehearse attacks the bank, finds nothing and ends with 0', async () => {
  const { code, output } = await runToEnd('start', ['--rehearse'])
  expect(code).toBe(0)
  expect(output).toMatch(/1000 wrong codes at once over 100 sessions: [1-5] were judged, 0 let somebody in/)
  expect(output).toMatch(/\n\d+ held, 0 fell, 2 not tried: \d{4} requests in [\d.]+ s\.\n/)
})
