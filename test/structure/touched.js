// Counts the files of the package that take part in one request: those of which V8 ran a function between
// two readings of its precise coverage, after one whole sign-in has loaded everything. Usage: npm run touched
import { Session } from 'node:inspector/promises'
import { exit } from 'node:process'
import { createClient, providerCodes, twoFactor } from '../../build/modules/index.js'
import { serve } from '../bench/host.js'
import { browser, poolOf } from '../bench/load.js'
import { loginWithPackage } from '../bench/login-with-package.js'
import { rightCode, startProvider } from '../bench/provider.js'

/** The compiled files as they were before they are bundled. */
const modules = new URL('../../build/modules/', import.meta.url).href

let now = Date.now()
const provider = await startProvider()
const tf = twoFactor({
  provider: providerCodes({
    client: createClient({ baseUrl: `${provider.origin}/v1`, client: 41, key: 'k' }),
    approvedStatuses: ['verified'],
  }),
  appName: 'Acme',
  secret: 'only for counting, at least 32 bytes long',
  countries: ['CO'],
  subject: (req) => req.session.pendingUserId,
  phone: () => '+573001234567',
  now: () => now,
})
const pool = poolOf(await serve(loginWithPackage(tf)), 1)

const inspector = new Session()
inspector.connect()
await inspector.post('Profiler.enable')
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/** The files that ran during a request, which has to get this status. */
async function during(request) {
  await inspector.post('Profiler.takePreciseCoverage')
  await request()
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  return result
    .filter(
      ({ url, functions }) => url.startsWith(modules) && functions.some(({ ranges }) => ranges[0].count > 0),
    )
    .map(({ url }) => url.slice(modules.length).replace(/js$/, 'ts'))
    .sort()
}

async function signIn() {
  const ask = browser(pool)
  return {
    start: await during(() => ask('POST', '/login', 201, { user: 'ana' })),
    verify: await during(() => ask('POST', '/two-factor/verify', 200, { code: rightCode })),
    guard: await during(() => ask('GET', '/account', 200)),
  }
}

await signIn()
// The next day, since a used code is remembered.
now += 24 * 3_600_000
for (const [name, files] of Object.entries(await signIn())) {
  console.log(`${name}: ${files.length} files\n  ${files.join('\n  ')}`)
}
exit()
