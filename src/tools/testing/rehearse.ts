import { createServer, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  checkOptions,
  func,
  integer,
  list,
  nonEmptyString,
  optionError,
  that,
  unknownName,
} from '../../lib/options.js'
import { asMeant } from './rehearsal/as-meant.js'
import { attacks } from './rehearsal/attacks.js'
import type { Rehearsal, RehearsalOptions, RehearsalPerson, RehearsalRow } from './rehearsal/contract.js'
import { createEar } from './rehearsal/ear.js'
import { faults } from './rehearsal/faults.js'
import { attachSandbox, fromNowOn, type HeldSandbox } from './rehearsal/held-sandbox.js'
import { judgements } from './rehearsal/leaks.js'
import { curlLine } from './rehearsal/report.js'
import { type Attack, createStage, Fell, NotTried, type Stage } from './rehearsal/stage.js'
import { BudgetError, createWire, isOwnAddress } from './rehearsal/wire.js'

const maxRequests = 20_000
const maxMs = 120_000
/** With fewer requests than this the bursts become smaller. */
const requestsOfFullBursts = 5_000
/** The port of `npx express-two-factor sandbox`, and of the quick start. */
const defaultPort = 4010

const object = (fix: string) => that(fix, (value) => typeof value === 'object' && value !== null)
const checks = {
  app: that(
    'must be a listener, a server of node:http, or the address of one on this machine, such as http://127.0.0.1:3000',
    (value) => typeof value === 'function' || value instanceof Server || isOwnAddress(value),
  ),
  sandbox: that(
    'must be what startSandbox resolves with, its options, or the address of one on this machine',
    (value) =>
      isOwnAddress(value) || (typeof value === 'object' && value !== null && !(value instanceof URL)),
  ),
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
  const codes = attacks.map(({ code }) => code)
  const unknown = options.only?.find((code) => !codes.includes(code))
  // Nothing would be tried, and nothing fall.
  if (unknown !== undefined) throw optionError(`rehearse: only: ${unknownName('row', unknown, codes)}`)
  const began = performance.now()
  const given = options as unknown as RehearsalOptions
  const ends: (() => unknown)[] = []
  try {
    const sandbox = await fromNowOn(await sandboxOf(given, ends))
    const origin = await originOf(given.app, ends)
    const { maxRequests: most = maxRequests, timeoutMs = maxMs } = given
    const wire = createWire(origin, { maxRequests: most, timeoutMs })
    const ear = createEar(sandbox.credentials)
    ends.push(wire.close, ear.close)
    const scale = Math.min(1, most / requestsOfFullBursts)
    const rows = await attackAll(createStage({ wire, sandbox, options: given, ear, scale }))
    const ok = rows.every(({ verdict }) => verdict !== 'fell')
    return { ok, rows, requests: wire.requests(), durationMs: Math.round(performance.now() - began) }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

async function attackAll(stage: Stage): Promise<readonly RehearsalRow[]> {
  const { only } = stage.options
  // What is judged by all traffic would hold where there is none.
  const isAll = only === undefined || judgements.some(({ code }) => only.includes(code))
  const [signIn, ...others] = attacks
  const asked = others.filter((one) => isAll || asMeant.includes(one) || only.includes(one.code))
  const rows = [await rowOf(signIn, stage)]
  if (stage.ear.codes.size === 0) {
    const why = 'no code arrived in the sandbox that is held, so that the app may be that of somebody else'
    return [...rows, ...asked.map((one) => notTried(one, why))]
  }
  // A silent provider takes time, which it may take beside all others.
  const inTrouble = asked.includes(faults) && rowOf(faults, stage)
  // It may fail before its turn comes, or after the others have.
  if (inTrouble) inTrouble.catch(() => {})
  for (const attack of asked) rows.push(await ((attack === faults && inTrouble) || rowOf(attack, stage)))
  return rows
}

async function rowOf(attack: Attack, stage: Stage): Promise<RehearsalRow> {
  const { code, claim, fix, docs } = attack
  let tried = ''
  try {
    const seen = await attack.run(stage, (what) => {
      tried = what
    })
    return { code, claim, tried, seen, verdict: 'held' }
  } catch (error) {
    if (error instanceof Fell) {
      const repeat = error.request && { repeat: curlLine(stage.origin, error.request) }
      const change = error.change ?? { fix, docs }
      return { code, claim, tried, seen: error.message, verdict: 'fell', ...change, ...repeat }
    }
    // The plan is wrong, and not the app.
    if (error instanceof TypeError && Reflect.get(error, 'code') === 'ERR_TWO_FACTOR_OPTION') throw error
    const isOurs = error instanceof NotTried || error instanceof BudgetError
    const why = error instanceof Error ? error.message : String(error)
    return notTried(attack, isOurs ? why : `it could not be carried out: ${why}`)
  }
}

function notTried({ code, claim }: Attack, why: string): RehearsalRow {
  return { code, claim, tried: why, seen: '', verdict: 'not tried' }
}

/** The sandbox of the host, one that runs elsewhere, or one that ends with the rehearsal. */
async function sandboxOf({ sandbox = {} }: RehearsalOptions, ends: (() => unknown)[]): Promise<HeldSandbox> {
  if (typeof sandbox === 'object' && 'inbox' in sandbox) return sandbox
  if (typeof sandbox === 'string' || sandbox instanceof URL) {
    const wire = createWire(new URL(sandbox).origin)
    ends.push(wire.close)
    return attachSandbox(wire)
  }
  // Loaded here, so that the entry works where Express is not installed.
  const { startSandbox } = await import('../sandbox/index.js')
  const started = await startSandbox({ port: defaultPort, ...sandbox })
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
