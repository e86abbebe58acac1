import { readFileSync } from 'node:fs'

/** The version of this package. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return version
}

/** Prints a result for programs, with the version that found it. */
export function printJson(result: object): void {
  process.stdout.write(`${JSON.stringify({ version: packageVersion(), ...result }, undefined, 2)}\n`)
}
