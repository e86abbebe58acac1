import { version } from '../lib/version.js'

/** Prints a result for programs, with the version that found it. */
export function printJson(result: object): void {
  process.stdout.write(`${JSON.stringify({ version, ...result }, undefined, 2)}\n`)
}
