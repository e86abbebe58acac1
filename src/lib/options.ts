import { isThenable } from './promises.js'
import { maxTimerMs } from './time.js'

/** Reads one option and returns its settled value. Throws a TypeError that names the option and the accepted values. */
export interface Check {
  (value: unknown, name: string): unknown
  /** Value of an omitted option. */
  readonly byDefault?: unknown
}

/** Checks of all options of a function by name. An option without a check does not compile. */
export type Checks<Options = Record<string, unknown>> = {
  readonly [Name in keyof Required<Options>]: Check
}

type WithDefault = Required<Pick<Check, 'byDefault'>>

/** Options after their check: members with a default are present. */
export type Settled<Options, Table> = Options & {
  readonly [Name in keyof Options & keyof Table as Table[Name] extends WithDefault ? Name : never]-?: Exclude<
    Options[Name],
    undefined
  >
}

/** Required options: their names, or for each name the source line that the error suggests. */
export type RequiredNames = readonly string[] | Readonly<Record<string, string>>

/** Creates a TypeError with `code: 'ERR_TWO_FACTOR_OPTION'`, for a mistake in the program that is found at start-up. */
export function optionError(message: string): TypeError {
  return Object.assign(new TypeError(message), { code: 'ERR_TWO_FACTOR_OPTION' })
}

/**
 * Checks the options of a function and returns a copy with defaults. Errors quote no value, because some values are
 * secrets. `undefined` counts as omitted, an inherited option as given. With a `page`, the error for an unknown name links
 * to it.
 *
 * @throws {TypeError} with `code: 'ERR_TWO_FACTOR_OPTION'`, naming the option and the fix
 * @example
 * const { path } = checkOptions('twoFactor', options, { path: withDefault('/two-factor', mountPath) })
 */
export function checkOptions<Options, Table extends Checks>(
  where: string | { readonly name: string; readonly page: string },
  given: Options,
  checks: Table,
  required: RequiredNames = [],
): Settled<Options, Table> {
  const { name, page } = typeof where === 'string' ? { name: where, page: undefined } : where
  try {
    return object(checks, required, page)(given, '') as Settled<Options, Table>
  } catch (error) {
    throw error instanceof TypeError ? optionError(`${name}: ${error.message}`) : error
  }
}

/** Adds a default to a check. The default passes the check, too. */
export function withDefault(byDefault: unknown, check: Check): Check & WithDefault {
  return Object.assign((value: unknown, name: string) => check(value, name), { byDefault })
}

/** Accepts an object with these options only. The error lists them or links to the page that does. */
export function object(checks: Checks, required: RequiredNames = [], page?: string): Check {
  const known = Object.keys(checks)
  const requiredNames = Array.isArray(required) ? required : Object.keys(required)
  return (value, name) => {
    if (!isRecord(value)) {
      throw optionError(`${name === '' ? 'options' : name} must be an object with: ${known.join(', ')}`)
    }
    const path = (member: string) => (name === '' ? member : `${name}.${member}`)
    // A misspelt name is reported first, because it explains the missing one.
    const unknown = Object.keys(value).filter((member) => !Object.hasOwn(checks, member))
    if (unknown.length > 0) throw optionError(unknownOptions(unknown, path, known, page && `see ${page}`))
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

/** Accepts an object with any names, whose members all pass one check. */
export function record(check: Check, fix: string): Check {
  return (value, name) => {
    if (!isRecord(value) || Object.hasOwn(value, '')) throw optionError(`${name} ${fix}`)
    const items = Object.entries(value).map(([member, item]) => [member, check(item, `${name}.${member}`)])
    return Object.fromEntries(items)
  }
}

/** Accepts an array whose items all pass one check. */
export function list(check: Check, fix: string, min = 0): Check {
  return (value, name) => {
    if (!Array.isArray(value) || value.length < min) throw optionError(`${name} ${fix}`)
    return value.map((item, index) => check(item, `${name}[${index}]`))
  }
}

/** Accepts a value if `holds` returns true. `fix` completes the sentence "name …". */
export function that(fix: string, holds: (value: unknown) => boolean): Check {
  return (value, name) => {
    if (!holds(value)) throw optionError(`${name} ${fix}`)
    return value
  }
}

/** Accepts a safe integer from `min` to `max`, both included. */
export function integer(min: number, max = Number.MAX_SAFE_INTEGER, unit = ''): Check {
  const range =
    max === Number.MAX_SAFE_INTEGER ? `an integer, ${min} or more` : `an integer from ${min} to ${max}`
  return that(
    `must be ${range}${unit}`,
    (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
  )
}

/** A duration that no timer runs for. */
export const durationMs: Check = integer(1, Number.MAX_SAFE_INTEGER, ' (milliseconds)')

/** A duration that a timer runs for. */
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

/** Accepts a secret, or a list of secrets for a rotation. Returns a list. */
export const secret: Check = (value, name) =>
  Array.isArray(value) ? secretList(value, name) : [oneSecret(value, name)]

export function oneOf(...allowed: readonly (string | number | boolean)[]): Check {
  const quoted = allowed.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  return that(`must be ${quoted.join(' or ')}`, (value) => allowed.includes(value as never))
}

/** Accepts an object, or class instance, with these methods. */
export function withMethods(methods: readonly string[], fix: string): Check {
  return that(
    fix,
    (value) => isObject(value) && methods.every((method) => typeof value[method] === 'function'),
  )
}

/** Rejects a list, a Map and an unawaited promise: they would contain none of the options. */
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

/** Path of a mount. */
export const mountPath: Check = that(
  "must be a fixed path such as '/two-factor', without parameters or a trailing slash",
  (value) => typeof value === 'string' && /^(\/[\w.~%-]+)+$/.test(value),
)

/**
 * Builds the sentence about an unknown name.
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

/** Builds the sentence about one unknown option or several. */
function unknownOptions(
  names: readonly string[],
  path: (name: string) => string,
  known: readonly string[],
  otherwise = expected(known),
): string {
  const [first = ''] = names
  if (names.length === 1) return unknownName('option', path(first), known, otherwise)
  const listed = names.map((name) => {
    const near = nearestName(name, known)
    return near === undefined ? `"${path(name)}"` : `"${path(name)}" (did you mean "${near}"?)`
  })
  return `unknown options ${listed.join(', ')}; ${otherwise}`
}

const expected = (known: readonly string[]) => `expected: ${known.join(', ') || 'none'}`

/** Ends that sentence with the name that was probably meant, or with all known names or `otherwise`. */
export function didYouMean(name: string, known: readonly string[], otherwise = expected(known)): string {
  const near = nearestName(name, known)
  return near === undefined ? otherwise : `did you mean "${near}"?`
}

/**
 * Returns the name that was probably meant: at most two edits away (Levenshtein), fewer for short names.
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

/** Returns whether a host name or address, also in the brackets of a URL, reaches this machine only. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|::1|\[::1\]|127(?:\.\d+){3})$/.test(host)
}
