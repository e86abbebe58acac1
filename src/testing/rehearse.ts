import { createServer, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkOptions, func, integer, list, nonEmptyString, optionError, that } from '../lib/options.js'
import type { Sandbox, SandboxOptions } from '../sandbox/index.js'
import { type Attack, attacks } from './rehearsal/attacks.js'
import type { Rehearsal, RehearsalOptions, RehearsalPerson, RehearsalRow } from './rehearsal/contract.js'
import { faults } from './rehearsal/faults.js'
import { coverage, createEar, type Ear } from './rehearsal/leaks.js'
import { curlLine } from './rehearsal/report.js'
import { signIn } from './rehearsal/sessions.js'
import { createStage, NotTried, type Stage } from './rehearsal/stage.js'
import { BudgetError, createWire, isLoopback } from './rehearsal/wire.js'

const maxRequests = 20_000
const maxMs = 120_000
/** With fewer requests than this the bursts become smaller. */
const requestsOfFullBursts = 5_000
/** The port of `npx express-two-factor sandbox`, and of the quick start. */
const defaultSandbox: SandboxOptions = { port: 4010 }

const object = (fix: string) => that(fix, (value) => typeof value === 'object' && value !== null)
const checks = {
  app: that(
    'must be a listener, a server of node:http, or the address of one on this machine, such as http://127.0.0.1:3000',
    (value) => typeof value === 'function' || value instanceof Server || isOwnAddress(value),
  ),
  sandbox: object('must be what startSandbox resolves with, or its options'),
  person: func('(index) => person'),
  signIn: func('(agent, person) => promise'),
  actions: list(object("must be such as { name: 'transfer', path: '/transfers' }"), 'must be an array'),
  pages: list(nonEmptyString('a path'), "must be an array such as ['/account']"),
  signOut: object("must be such as { name: 'sign-out', path: '/logout' }"),
  changePassword: object("must be such as { name: 'new password', path: '/password' }"),
  signUp: object('must be an object: { path, account, newcomer }'),
  path: nonEmptyString('where routes() is mounted'),
  logs: func('() => text'),
  coverage: object('must be what guardCoverage returned'),
  ignore: list(() => {}, "must be an array such as ['POST /logout']"),
  only: list(nonEmptyString('the code of a row'), "must be an array such as ['changed']"),
  maxRequests: integer(100, maxRequests),
  timeoutMs: integer(1_000, maxMs, ' (milliseconds)'),
}

/**
 * Attacks an app as it is wired up, over HTTP, and says what fell and what to change: whether the guard stands where
 * it has to, the session renews, a code covers what is executed, and nothing in between undoes it. On this machine
 * only: no address elsewhere is taken, redirects are not followed there, and unless a first code arrives in the
 * sandbox that it holds, nothing is attacked. Ends every socket, server and sandbox that it began.
 *
 * @throws {TypeError} with `code: 'ERR_TWO_FACTOR_OPTION'` for options that are missing or wrong
 * @example
 * const rehearsal = await rehearse({
 *   app,
 *   sandbox,
 *   person: (index) => users.add({ name: `person-${index}`, password: 'sesame', phone: `+5730020${10_000 + index}` }),
 *   signIn: (agent, { name, password }) => agent.post('/login', { name, password }),
 *   pages: ['/account'],
 *   actions: [{ name: 'transfer', path: '/transfers', body: { amount: 5, payee: 'Luis' }, changed: { amount: 999 } }],
 * })
 * expect(rehearsal.ok, describeRehearsal(rehearsal)).toBe(true)
 */
export async function rehearse<Person extends RehearsalPerson>(
  options: RehearsalOptions<Person>,
): Promise<Rehearsal> {
  checkOptions('rehearse', options, checks, ['app', 'person', 'signIn'])
  const began = performance.now()
  const given = options as unknown as RehearsalOptions
  const ends: (() => unknown)[] = []
  try {
    const sandbox = await sandboxOf(given, ends)
    const origin = await originOf(given.app, ends)
    const { maxRequests: most = maxRequests, timeoutMs = maxMs } = given
    const wire = createWire(origin, { maxRequests: most, timeoutMs })
    const ear = createEar(sandbox)
    ends.push(wire.close, ear.close)
    const stage = createStage({
      ...{ wire, sandbox, options: given, path: given.path ?? '/two-factor' },
      ...{ scale: Math.min(1, most / requestsOfFullBursts), onResponse: ear.hear, onCode: ear.note },
    })
    const rows = await attackAll(stage, ear)
    const ok = rows.every(({ verdict }) => verdict !== 'fell')
    return { ok, rows, requests: wire.requests(), durationMs: Math.round(performance.now() - began) }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

async function attackAll(stage: Stage, ear: Ear): Promise<readonly RehearsalRow[]> {
  const { only } = stage.options
  const asked = ({ code }: Attack) => only === undefined || code === 'confirmed-action' || only.includes(code)
  const first = await rowOf(ownApp, stage)
  const beside = [faultAttack].filter(asked)
  const inTurn = attacks.filter(asked)
  const last = endings(ear).filter(asked)
  if (ear.codes() === 0) {
    const why = 'no code arrived in the sandbox that is held, so that the app may be that of somebody else'
    const rest = [...inTurn, ...beside, ...last]
    return [first, ...rest.map(({ code, claim }) => notTried(code, claim, why))]
  }
  // The provider is in trouble beside all other attacks.
  const inTrouble = beside.map((attack) => rowOf(attack, stage))
  const rows = [first]
  for (const attack of inTurn) rows.push(await rowOf(attack, stage))
  rows.push(...(await Promise.all(inTrouble)))
  for (const attack of last) rows.push(await rowOf(attack, stage))
  return rows
}

const ownApp: Attack = {
  code: 'sign-in',
  claim: 'the right code signs in, and a wrong one does not',
  fix: 'mount one session before tf.routes() and every guard, and let the app send its codes through this sandbox',
  docs: 'docs/sessions.md#order-of-mounting',
  run: signIn,
}

const faultAttack: Attack = {
  code: 'provider-faults',
  claim: 'no trouble of the provider lets anybody in',
  fix: 'return "approved" for the one status that the provider documents, and "unavailable" for whatever you cannot read',
  docs: 'docs/providers.md#a-provider-of-your-own',
  run: faults,
}

/** What is known only when everything else has been tried. */
const endings = (ear: Ear): readonly Attack[] => [
  {
    code: 'secrets',
    claim: 'no code and no key is in a response, an event or the log',
    fix: 'log neither bodies nor options',
    docs: 'docs/events.md#logs-and-metrics',
    run: ear.secrets,
  },
  {
    code: 'unguarded',
    claim: 'no route that changes something responded without a guard',
    fix: 'put a guard before it, or list it in ignore',
    docs: 'docs/sandbox.md#fixtures-and-coverage-of-guards',
    run: coverage,
  },
  {
    code: 'warnings',
    claim: 'the package warned of no mistake of wiring',
    fix: 'do what the warning says',
    docs: 'docs/troubleshooting.md#warnings',
    run: ear.warnings,
  },
]

async function rowOf({ code, claim, fix, docs, run }: Attack, stage: Stage): Promise<RehearsalRow> {
  try {
    const { tried, seen, fell, request } = await run(stage)
    if (!fell) return { code, claim, tried, seen, verdict: 'held' }
    const repeat = request && { repeat: curlLine(stage.origin, request) }
    return { code, claim, tried, seen, verdict: 'fell', fix, docs, ...repeat }
  } catch (error) {
    const isOurs = error instanceof NotTried || error instanceof BudgetError
    const why = error instanceof Error ? error.message : String(error)
    return notTried(code, claim, isOurs ? why : `it could not be carried out: ${why}`)
  }
}

function notTried(code: string, claim: string, why: string): RehearsalRow {
  return { code, claim, tried: why, seen: '', verdict: 'not tried' }
}

/** The sandbox of the host, or one that ends with the rehearsal. */
async function sandboxOf(
  { sandbox = defaultSandbox }: RehearsalOptions,
  ends: (() => unknown)[],
): Promise<Sandbox> {
  if ('inbox' in sandbox) return sandbox
  // Loaded here, so that the entry works where Express is not installed.
  const { startSandbox } = await import('../sandbox/index.js')
  const started = await startSandbox(sandbox)
  ends.push(started.close)
  return started
}

/** Where the app is. What it does not listen to by itself is served on a free port, and ends with the rehearsal. */
async function originOf(app: RehearsalOptions['app'], ends: (() => unknown)[]): Promise<string> {
  if (typeof app === 'string' || app instanceof URL) return new URL(app).origin
  const server = typeof app === 'function' ? createServer(app) : app
  if (!server.listening) {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', 4_096, resolve)
    })
    ends.push(() => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    })
  }
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw optionError('rehearse: app must listen on a port')
  return `http://127.0.0.1:${(address satisfies AddressInfo).port}`
}

function isOwnAddress(value: unknown): boolean {
  const text = String(value)
  return (
    (typeof value === 'string' || value instanceof URL) && URL.canParse(text) && isLoopback(new URL(text))
  )
}
