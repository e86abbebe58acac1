// Counts the files of the package that take part in one request: those of which V8 ran a function between
// two readings of its precise coverage, after one whole sign-in has loaded everything. Usage: npm run touched
import { once } from 'node:events'
import { Session } from 'node:inspector/promises'
import { Worker } from 'node:worker_threads'
import express from 'express'
import session from 'express-session'
import { createClient, providerCodes, twoFactor } from '../../build/modules/index.js'

/** The compiled files as they were before they are bundled. */
const modules = new URL('../../build/modules/', import.meta.url).href
const phone = '+573001234567'

const thread = new Worker(new URL('sandbox-thread.js', import.meta.url))
const [sandbox] = await once(thread, 'message')
let now = Date.now()
const tf = twoFactor({
  provider: providerCodes({
    client: createClient({ baseUrl: sandbox.baseUrl, ...sandbox.credentials }),
    approvedStatuses: sandbox.approvedStatuses,
  }),
  appName: 'Acme',
  secret: 'only for counting, at least 32 bytes long',
  countries: ['CO'],
  subject: () => 'ana',
  phone: () => phone,
  now: () => now,
})
const app = express()
app.use(session({ secret: 'only for counting', resave: false, saveUninitialized: true }))
app.use('/two-factor', tf.routes())
app.get('/account', tf.requireTwoFactor(), (_req, res) => res.json({}))
const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const origin = `http://127.0.0.1:${server.address().port}`

const inspector = new Session()
inspector.connect()
await inspector.post('Profiler.enable')
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

const cookies = new Map()
async function request(method, path, body) {
  const response = await fetch(origin + path, {
    method,
    headers: {
      cookie: [...cookies.values()].join('; '),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  await response.text()
  for (const header of response.headers.getSetCookie()) {
    const [pair] = header.split(';')
    cookies.set(pair.split('=')[0], pair)
  }
  return response.status
}

/** The files that ran during a request, which has to get this status. */
async function during(expected, ...args) {
  await inspector.post('Profiler.takePreciseCoverage')
  const status = await request(...args)
  if (status !== expected) throw new Error(`${args[1]}: status ${status} instead of ${expected}`)
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  return result
    .filter(
      ({ url, functions }) => url.startsWith(modules) && functions.some(({ ranges }) => ranges[0].count > 0),
    )
    .map(({ url }) => url.slice(modules.length).replace(/js$/, 'ts'))
    .sort()
}

async function signIn() {
  const start = await during(201, 'POST', '/two-factor/start', {})
  const waited = await fetch(`${sandbox.inboxUrl}_sandbox/messages/wait?phone=${encodeURIComponent(phone)}`)
  const { code } = await waited.json()
  const verify = await during(200, 'POST', '/two-factor/verify', { code })
  const guard = await during(200, 'GET', '/account')
  return { start, verify, guard }
}

await signIn()
cookies.clear()
now += 3_600_000
const touched = await signIn()
for (const [name, files] of Object.entries(touched)) {
  console.log(`${name}: ${files.length} files\n  ${files.join('\n  ')}`)
}
server.close()
server.closeAllConnections()
await Promise.all([tf.close(), thread.terminate()])
