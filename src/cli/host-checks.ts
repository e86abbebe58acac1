import type { Row } from './findings.js'

/** Whether this version of Node runs the package: the `engines` of its package.json. */
export function nodeRow(version: string): Row {
  const name = 'Node'
  // The versions between cannot `require` ES modules.
  const supported = isAtLeast(version, 22, 12) || (isAtLeast(version, 20, 19) && !isAtLeast(version, 21, 0))
  if (supported) return { code: 'node_ok', name, found: 'ok', text: version }
  const text = `${version} is too old`
  return { code: 'node_too_old', name, found: 'wrong', text, fix: 'use Node 20.19, 22.12 or later' }
}

/** Whether the Express of the app, if it has one, is among the `peerDependencies`. */
export function expressRow(version: string | undefined): Row {
  const name = 'Express'
  const fix = 'npm install express@5 in the folder of the app, and run this there'
  if (version === undefined) {
    return { code: 'express_missing', name, found: 'wrong', text: 'is not installed here', fix }
  }
  const supported = isAtLeast(version, 4, 21) && !isAtLeast(version, 6, 0)
  if (supported) return { code: 'express_ok', name, found: 'ok', text: version }
  const text = `${version} is not supported, ^4.21.0 and ^5.0.0 are`
  return { code: 'express_unsupported', name, found: 'wrong', text, fix }
}

function isAtLeast(version: string, leastMajor: number, leastMinor: number): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
}
