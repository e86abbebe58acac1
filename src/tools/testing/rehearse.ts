import { createServer, Server } from 'node:http'
import { checkOptions, optionError } from '../../lib/options.js'
import { attacks } from './rehearsal/attacks.js'
import type { Rehearsal, RehearsalOptions, RehearsalPerson } from './rehearsal/contract.js'
import { createEar, howToRead, provoked } from './rehearsal/ear.js'
import { attachSandbox, type HeldSandbox } from './rehearsal/held-sandbox.js'
import { checkMaterial, defaultTimeoutMs, maxRequests, planChecks } from './rehearsal/plan-checks.js'
import { createRouteTable, type RouteTable } from './rehearsal/routes.js'
import { attackAll, hindranceOf } from './rehearsal/rows.js'
import { createStage } from './rehearsal/stage.js'
import { createWire } from './rehearsal/wire.js'

/**
 * With fewer requests than this, bursts are smaller. If the other rows need all requests, bursts have the minimum size.
 */
const requestsOfFullBursts = 5_000
const requestsOfOthers = 1_500
/** The port of `npx express-two-factor sandbox`, and of the quick start. */
const defaultPort = 4010

/**
 * Attacks a wired app over HTTP, and reports each attack that succeeded with its fix. The rows check that guards are in
 * place, the session renews, a code covers the executed action, and no layer in between undoes this. Uses only this
 * machine: it rejects other addresses, follows no redirects to them, and attacks nothing until a first code arrives in
 * its sandbox. Closes every socket, server and sandbox that it started.
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
  checkOptions('rehearse', options, planChecks, ['app', 'person', 'signIn'])
  const given = options as unknown as RehearsalOptions
  const codes = attacks.map(({ code }) => code)
  checkMaterial(given, codes)
  const began = performance.now()
  const ends: (() => unknown)[] = []
  try {
    const sandbox = await sandboxOf(given, ends)
    const earlier = (await sandbox.inbox.list()).map(({ id }) => id)
    const { origin, routes } = await served(given, ends)
    const { maxRequests: most = maxRequests, timeoutMs = defaultTimeoutMs } = given
    const wire = createWire(origin, { maxRequests: most, timeoutMs })
    const ear = createEar(sandbox.credentials)
    ends.push(wire.close, ear.close)
    const scale = Math.min(1, (most - requestsOfOthers) / (requestsOfFullBursts - requestsOfOthers))
    const rows = await attackAll(createStage({ wire, sandbox, earlier, options: given, ear, routes, scale }))
    const hindrance = hindranceOf(rows)
    return {
      ok: hindrance === undefined && rows.every(({ verdict }) => verdict !== 'fell'),
      ...(hindrance !== undefined && { hindrance }),
      rows,
      routes: routes?.list() ?? [],
      notSeen: notSeenIn(given, routes),
      requests: wire.requests(),
      durationMs: Math.round(performance.now() - began),
    }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

/** Returns the sandbox of the app, a remote sandbox, or a new sandbox that ends with the rehearsal. */
async function sandboxOf({ sandbox = {} }: RehearsalOptions, ends: (() => unknown)[]): Promise<HeldSandbox> {
  if (typeof sandbox === 'object' && 'inbox' in sandbox) return sandbox
  if (typeof sandbox === 'string' || sandbox instanceof URL) {
    const wire = createWire(new URL(sandbox).origin)
    ends.push(wire.close)
    return attachSandbox(wire)
  }
  // Loaded here, so that the entry works without Express.
  const { startSandbox } = await import('../sandbox/index.js')
  const started = await startSandbox({ port: defaultPort, ...sandbox })
  ends.push(started.close)
  return started
}

/** Returns the parts of the app that no row can see. */
function notSeenIn({ app, logs }: RehearsalOptions, routes: RouteTable | undefined): readonly string[] {
  const isElsewhere = typeof app === 'string' || app instanceof URL
  return [
    ...(routes?.hasHidden() ? ['routes behind a function of the app that no request reached'] : []),
    ...(routes?.patterns() ?? []).map(
      (route) => `${route}: no request can be made from a regular expression`,
    ),
    ...(routes === undefined ? ['its routes: routes that the plan does not name are not attacked'] : []),
    ...(isElsewhere
      ? [
          `its events and warnings: it runs in another process, where the attacks cause ${provoked.join(', ')}. ${howToRead}`,
        ]
      : []),
    ...(logs === undefined ? ['its log: the plan has no `logs`'] : []),
  ]
}

/** Returns the address of the app. Serves a listener on a free port until the rehearsal ends. */
async function served(options: RehearsalOptions, ends: (() => unknown)[]) {
  const { app } = options
  if (typeof app === 'string' || app instanceof URL) return { origin: new URL(app).origin, routes: undefined }
  const server = app instanceof Server ? app : createServer(app)
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
  const routes = createRouteTable(server, namedRoutes(options))
  ends.push(routes.close)
  return { origin: `http://127.0.0.1:${address.port}`, routes: routes.isKnown ? routes : undefined }
}

/** Returns routes that the plan names beside its actions, and mounts of the package. */
function namedRoutes({
  path = '/two-factor',
  signUp,
  account,
  signOut,
  changePassword,
  ignore = [],
}: RehearsalOptions) {
  const requests = [signOut, changePassword, signUp?.account].flatMap((one) =>
    one === undefined || typeof one.path === 'function' ? [] : [`${one.method ?? 'POST'} ${one.path}`],
  )
  const own = [path, signUp?.path, account].filter((one) => one !== undefined)
  return { own, ignore: [...ignore, ...requests] }
}
