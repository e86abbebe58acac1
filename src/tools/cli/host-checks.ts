import { createRequire } from 'node:module'
import { join } from 'node:path'
import { clockLeewayMs } from '../../lib/time.js'
import { needsNode } from '../../provider/send.js'
import { type Row, rowsAbout } from './findings.js'

/** Resolves packages of the app in the current folder: with npx, this program may be installed elsewhere. */
const requireFromApp = createRequire(join(process.cwd(), 'package.json'))

/** Loads a package as the app would; undefined if it is not installed. */
export type LoadFromApp = (name: string) => unknown

export const loadFromApp: LoadFromApp = (name) => {
  try {
    return requireFromApp(name)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/**
 * Checks whether this runtime supports the package: the `engines` of package.json, and the runtime's own version of
 * undici.
 */
export function runtimeRow({ node: version = '', bun, deno }: NodeJS.ProcessVersions): Row {
  if (bun !== undefined) {
    return rowsAbout('Bun').wrong('undici_replaced', `${bun} replaces undici with its own module`, needsNode)
  }
  if (deno !== undefined) return rowsAbout('Deno').ok('deno_ok', deno)
  const { ok, wrong } = rowsAbout('Node')
  // The versions in between cannot `require` ES modules.
  const supported = isAtLeast(version, 22, 12) || (isAtLeast(version, 20, 19) && !isAtLeast(version, 21, 0))
  if (supported) return ok('node_ok', version)
  return wrong('node_too_old', `${version} is too old`, 'use Node 20.19, 22.12 or later')
}

/** Checks whether the app's version of Express, if installed, is in `peerDependencies`. */
export function expressRow(version: string | undefined): Row {
  const { ok, wrong } = rowsAbout('Express')
  const fix = 'run npm install express@5 in the folder of the app, and run this command there'
  if (version === undefined) return wrong('express_missing', 'is not installed here', fix)
  const supported = isAtLeast(version, 4, 21) && !isAtLeast(version, 6, 0)
  if (supported) return ok('express_ok', version)
  return wrong('express_unsupported', `${version} is not supported, ^4.21.0 and ^5.0.0 are`, fix)
}

function isAtLeast(version: string, leastMajor: number, leastMinor: number): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
}

/** Compares the clocks by the `Date` of any response from the provider's address. Sends no account data. */
export async function clockRow(baseUrl: string): Promise<Row> {
  const { ok, skipped, wrong } = rowsAbout('Clock')
  const asked = Date.now()
  const answer = await fetch(baseUrl, {
    method: 'HEAD',
    headers: { 'cache-control': 'no-cache' },
    redirect: 'manual',
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined)
  // A cache may respond despite the request: it repeats the date of its response and adds the age (RFC 9111, 5.1).
  const ageMs = Number(answer?.headers.get('age') ?? 0) * 1_000
  const theirs = Date.parse(answer?.headers.get('date') ?? '') + ageMs
  if (Number.isNaN(theirs)) return skipped('clock_unknown', 'the provider returns no time to compare with')
  const leadMs = (asked + Date.now()) / 2 - theirs
  const seconds = Math.round(Math.abs(leadMs) / 1_000)
  if (Math.abs(leadMs) <= clockLeewayMs) {
    return ok('clock_ok', `equals the provider's, within ${seconds + 1} s`)
  }
  const side = leadMs > 0 ? 'ahead of' : 'behind'
  const text = `this machine is ${seconds} s ${side} the provider`
  return wrong('clock_differs', text, 'synchronize its clock by NTP')
}
