import { createRequire } from 'node:module'
import { join } from 'node:path'
import { clockLeewayMs } from '../../lib/time.js'
import { needsNode } from '../../provider/send.js'
import { type Row, rowsAbout } from './findings.js'

/** What the app in the current folder has installed: with npx this program itself may lie elsewhere. */
const requireFromApp = createRequire(join(process.cwd(), 'package.json'))

/** A package as the app would get it, or undefined when it is not installed. */
export type LoadFromApp = (name: string) => unknown

export const loadFromApp: LoadFromApp = (name) => {
  try {
    return requireFromApp(name)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/** Whether this runtime runs the package: by the `engines` of its package.json, and by what it puts in undici's place. */
export function runtimeRow({ node: version = '', bun, deno }: NodeJS.ProcessVersions): Row {
  if (bun !== undefined) {
    return rowsAbout('Bun').wrong(
      'undici_replaced',
      `${bun} puts a module of its own in undici's place`,
      needsNode,
    )
  }
  if (deno !== undefined) return rowsAbout('Deno').ok('deno_ok', deno)
  const { ok, wrong } = rowsAbout('Node')
  // The versions between cannot `require` ES modules.
  const supported = isAtLeast(version, 22, 12) || (isAtLeast(version, 20, 19) && !isAtLeast(version, 21, 0))
  if (supported) return ok('node_ok', version)
  return wrong('node_too_old', `${version} is too old`, 'use Node 20.19, 22.12 or later')
}

/** Whether the Express of the app, if it has one, is among the `peerDependencies`. */
export function expressRow(version: string | undefined): Row {
  const { ok, wrong } = rowsAbout('Express')
  const fix = 'npm install express@5 in the folder of the app, and run this there'
  if (version === undefined) return wrong('express_missing', 'is not installed here', fix)
  const supported = isAtLeast(version, 4, 21) && !isAtLeast(version, 6, 0)
  if (supported) return ok('express_ok', version)
  return wrong('express_unsupported', `${version} is not supported, ^4.21.0 and ^5.0.0 are`, fix)
}

function isAtLeast(version: string, leastMajor: number, leastMinor: number): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
}

/** Compares the clocks by the `Date` of any answer from the provider's address. No account travels. */
export async function clockRow(baseUrl: string): Promise<Row> {
  const { ok, skipped, wrong } = rowsAbout('Clock')
  const asked = Date.now()
  const answer = await fetch(baseUrl, {
    method: 'HEAD',
    headers: { 'cache-control': 'no-cache' },
    redirect: 'manual',
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined)
  // A cache that answers all the same repeats the date of its answer, and says how old that is (RFC 9111, 5.1).
  const ageMs = Number(answer?.headers.get('age') ?? 0) * 1_000
  const theirs = Date.parse(answer?.headers.get('date') ?? '') + ageMs
  if (Number.isNaN(theirs)) return skipped('clock_unknown', 'the provider tells no time to compare with')
  const leadMs = (asked + Date.now()) / 2 - theirs
  const seconds = Math.round(Math.abs(leadMs) / 1_000)
  if (Math.abs(leadMs) <= clockLeewayMs) {
    return ok('clock_ok', `as the provider's, within ${seconds + 1} s`)
  }
  const side = leadMs > 0 ? 'ahead of' : 'behind'
  const text = `this machine is ${seconds} s ${side} the provider`
  return wrong('clock_differs', text, 'let it take its time from NTP')
}
