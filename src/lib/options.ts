import { isThenable } from './promises.js'
import { maxTimerMs } from './time.js'

/** Reads the value of one option: returns it settled, or throws the TypeError that names it, with what it must be. */
export interface Check {
  (value: unknown, name: string): unknown
  /** What is read where nothing was given. */
  readonly byDefault?: unknown
}

/** The checks of all options of one function, by name: an option without a check does not compile. */
export type Checks<Options = Record<string, unknown>> = {
  readonly [Name in keyof Required<Options>]: Check
}

type WithDefault = Required<Pick<Check, 'byDefault'>>

/** The options of a table as they are settled: those that have a default are there. */
export type Settled<Options, Table> = Options & {
  readonly [Name in keyof Options & keyof Table as Table[Name] extends WithDefault ? Name : never]-?: Exclude<
    Options[Name],
    undefined
  >
}

/** Required options: their names, or for each the source that the error offers to paste. */
export type RequiredNames = readonly string[] | Readonly<Record<string, string>>

/** A TypeError with `code: 'ERR_TWO_FACTOR_OPTION'`: a mistake in the program, found at start-up. */
export function optionError(message: string): TypeError {
  return Object.assign(new TypeError(message), { code: 'ERR_TWO_FACTOR_OPTION' })
}

/**
 * Settles what a function was given: returns a copy, with the defaults in place. Never quotes a value: some of them are
 * secrets. Options that are `undefined` count as absent, inherited ones as given.
 *
 * @throws {TypeError} with `code: 'ERR_TWO_FACTOR_OPTION'`, naming the option and the fix
 * @example
 * const { path } = checkOptions('twoFactor', options, { path: withDefault('/two-factor', mountPath) })
 */
export function checkOptions<Options, Table extends Checks>(
  where: string,
  given: Options,
  checks: Table,
  required: RequiredNames = [],
  page?: string,
): Settled<Options, Table> {
  try {
    return object(checks, required, page)(given, '') as Settled<Options, Table>
  } catch (error) {
    throw error instanceof TypeError ? optionError(`${where}: ${error.message}`) : error
  }
}

/** The same check for an option that has a default, which is settled as if it had been given. */
export function withDefault(byDefault: unknown, check: Check): Check & WithDefault {
  return Object.assign((value: unknown, name: string) => check(value, name), { byDefault })
}

/** An object of these options and no others. The error lists them, or leads to the page that does. */
export function object(checks: Checks, required: RequiredNames = [], page?: string): Check {
  const known = Object.keys(checks)
  const requiredNames = Array.isArray(required) ? required : Object.keys(required)
  return (value, name) => {
    if (!isRecord(value)) {
      throw optionError(`${name === '' ? 'options' : name} must be an object with: ${known.join(', ')}`)
    }
    const path = (member: string) => (name === '' ? member : `${name}.${member}`)
    // A misspelt name comes first: it explains the one that is missing.
    const unknown = Object.keys(value).find((member) => !Object.hasOwn(checks, member))
    const hint = page && `see ${page}`
    if (unknown !== undefined) throw optionError(unknownName('option', path(unknown), known, hint))
    const missing = requiredNames.filter((member) => value[member] === undefined)
    if (missing.length > 0) {
      throw optionError(`missing ${missing.map(path).join(', ')}${toPaste(missing, required)}`)
    }
    const settled = Object.entries(checks).flatMap(([member, check]) => {
      const given = value[member] === undefined ? check.byDefault : value[member]
      return given === undefined ? [] : [[member, check(given, path(member))] as const]
    })
    return Object.fromEntries(settled)
  }
}

/** An object whose members all pass one check; their names are the caller's own. */
export function record(check: Check, fix: string): Check {
  return (value, name) => {
    if (!isRecord(value) || Object.hasOwn(value, '')) throw optionError(`${name} ${fix}`)
    const items = Object.entries(value).map(([member, item]) => [member, check(item, `${name}.${member}`)])
    return Object.fromEntries(items)
  }
}

/** An array whose items all pass one check. */
export function list(check: Check, fix: string, min = 0): Check {
  return (value, name) => {
    if (!Array.isArray(value) || value.length < min) throw optionError(`${name} ${fix}`)
    return value.map((item, index) => check(item, `${name}[${index}]`))
  }
}

/** Whatever `holds` accepts; `fix` completes the sentence "name …". */
export function that(fix: string, holds: (value: unknown) => boolean): Check {
  return (value, name) => {
    if (!holds(value)) throw optionError(`${name} ${fix}`)
    return value
  }
}

/** A safe integer within these bounds, both included. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER, unit = ''): Check {
  const range =
    max === Number.MAX_SAFE_INTEGER ? `an integer, ${min} or more` : `an integer from ${min} to ${max}`
  return that(
    `must be ${range}${unit}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
  )
}

/** A span of time that no timer has to hold. */
export const durationMs: Check = integer(1, Number.MAX_SAFE_INTEGER, ' (milliseconds)')

/** A span of time that a timer holds. */
export const timeoutMs: Check = integer(1, maxTimerMs, ' (milliseconds)')

export const boolean: Check = that('must be true or false', (value) => typeof value === 'boolean')

export function func(signature: string): Check {
  return that(`must be a function ${signature}`, (value) => typeof value === 'function')
}

export function nonEmptyString(meaning = ''): Check {
  return that(
    `must be a non-empty string${meaning === '' ? '' : `: ${meaning}`}`,
    (value) => typeof value === 'string' && value !== '',
  )
}

const secretFix = 'must have 32 bytes or more; make one with: openssl rand -base64 48'
const oneSecret = that(secretFix, (value) => typeof value === 'string' && Buffer.byteLength(value) >= 32)
const secretList = list(oneSecret, secretFix, 1)

/** A secret of the host, or for its rotation a list of them; settled as a list. */
export const secret: Check = (value, name) =>
  Array.isArray(value) ? secretList(value, name) : [oneSecret(value, name)]

export function oneOf(...allowed: readonly (string | number | boolean)[]): Check {
  const quoted = allowed.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  return that(`must be ${quoted.join(' or ')}`, (value) => allowed.includes(value as never))
}

/** An object, of the caller's own making, with these methods. */
export function withMethods(methods: readonly string[], fix: string): Check {
  return that(
    fix,
    (value) => isObject(value) && methods.every((method) => typeof value[method] === 'function'),
  )
}

/** No list, no Map, and no promise that was not awaited: none of them would have any option. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !(Symbol.iterator in value) && !isThenable(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function toPaste(missing: readonly string[], required: RequiredNames): string {
  if (Array.isArray(required)) return ''
  const lines = missing.map((name) => `\n  ${name}: ${(required as Record<string, string>)[name]}`)
  return `; add${lines.join('')}`
}

/** Where routes are mounted. */
export const mountPath: Check = that(
  "must be a fixed path such as '/two-factor', without parameters or a trailing slash",
  (value) => typeof value === 'string' && /^(\/[\w.~%-]+)+$/.test(value),
)

/**
 * A sentence about a name that is not known.
 *
 * @example
 * unknownName('option', 'coutries', ['countries', 'channels']) // 'unknown option "coutries"; did you mean "countries"?'
 */
export function unknownName(
  what: string,
  path: string,
  known: readonly string[],
  otherwise?: string,
): string {
  const named = path.split('.').at(-1) ?? ''
  return `unknown ${what} "${path}"; ${didYouMean(named, known, otherwise)}`
}

/** How a sentence about such a name ends: with the one that was probably meant, else with all there are, or `otherwise`. */
export function didYouMean(name: string, known: readonly string[], otherwise?: string): string {
  const near = nearestName(name, known)
  if (near !== undefined) return `did you mean "${near}"?`
  return otherwise ?? `expected: ${known.join(', ') || 'none'}`
}

/**
 * The name that was probably meant: at most two edits away (Levenshtein), fewer for short names.
 *
 * @example
 * nearestName('coutries', ['countries', 'channels']) // 'countries'
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase()
  const distances = known.map((candidate) => ({ candidate, edits: edits(wanted, candidate.toLowerCase()) }))
  return distances
    .filter(({ candidate, edits }) => edits <= Math.min(2, Math.floor(candidate.length / 3)))
    .sort((one, other) => one.edits - other.edits)[0]?.candidate
}

function edits(name: string, candidate: string): number {
  let previous = Array.from({ length: candidate.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...name].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...candidate].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}

/** Whether only this machine is reached under a host name or an address, also one in the brackets of a URL. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|::1|\[::1\]|127(?:\.\d+){3})$/.test(host)
}
