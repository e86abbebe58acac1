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
import { matches } from './guard-coverage.js'
import { attacks } from './rehearsal/attacks.js'
import type { Rehearsal, RehearsalOptions, RehearsalPerson } from './rehearsal/contract.js'
import { createEar } from './rehearsal/ear.js'
import { attachSandbox, fromNowOn, type HeldSandbox } from './rehearsal/held-sandbox.js'
import { attackAll, hindranceOf } from './rehearsal/rows.js'
import { createStage } from './rehearsal/stage.js'
import { watchTraffic } from './rehearsal/traffic.js'
import { createWire, isOwnAddress } from './rehearsal/wire.js'

const maxRequests = 20_000
const maxMs = 120_000
/** With fewer requests than this the bursts become smaller, and with no more than the others need as small as can be. */
const requestsOfFullBursts = 5_000
const requestsOfOthers = 500
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
  account: nonEmptyString('where accountPages() is mounted'),
  origins: list(
    that('must be an origin', (value) => URL.canParse(String(value))),
    "must be an array such as ['https://app.example.com']",
  ),
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
    const { origin, missed } = await served(given, ends)
    const { maxRequests: most = maxRequests, timeoutMs = maxMs } = given
    const wire = createWire(origin, { maxRequests: most, timeoutMs })
    const ear = createEar(sandbox.credentials)
    ends.push(wire.close, ear.close)
    const scale = (most - requestsOfOthers) / (requestsOfFullBursts - requestsOfOthers)
    const rows = await attackAll(
      createStage({ wire, sandbox, options: given, ear, scale: Math.min(1, scale) }),
    )
    const hindrance = hindranceOf(rows)
    return {
      ok: hindrance === undefined && rows.every(({ verdict }) => verdict !== 'fell'),
      ...(hindrance !== undefined && { hindrance }),
      rows,
      notAttacked: missed(),
      requests: wire.requests(),
      durationMs: Math.round(performance.now() - began),
    }
  } finally {
    for (const end of ends.reverse()) await end()
  }
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
async function served(options: RehearsalOptions, ends: (() => unknown)[]) {
  const { app, path = '/two-factor', signUp, account, ignore = [] } = options
  if (typeof app === 'string' || app instanceof URL) return { origin: new URL(app).origin, missed: () => [] }
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
  const traffic = watchTraffic(server)
  ends.push(traffic.close)
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw optionError('rehearse: app must listen on a port')
  const own = [path, signUp?.path, account, account && `${account}/number`].filter((one) => one !== undefined)
  return {
    origin: `http://127.0.0.1:${(address satisfies AddressInfo).port}`,
    missed: () => traffic.missed(own).filter((route) => !ignore.some((pattern) => matches(pattern, route))),
  }
}
