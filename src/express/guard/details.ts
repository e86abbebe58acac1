import type { Request } from 'express'
import type { Details } from '../../challenge/exchange/code-provider.js'
import { hashId } from '../../challenge/keys.js'
import { type GrantQuery, isEmptyText, parserQuestion } from '../../challenge/proofs/stored-grant.js'
import { TwoFactorError } from '../../errors.js'
import { isPlainObject } from '../../lib/json.js'
import type { Warn } from '../host/warnings.js'

/** Returns what the user sees about the action of this request. Called only when the guard refuses. */
export type Describe = (
  req: Request,
  context: {
    /** Language tag of the user's pages, such as `es`. */
    readonly locale: string
  },
) => Details | Promise<Details>

const maxRows = 12
const maxTitleLength = 100
const maxLabelLength = 60
const maxValueLength = 200
/** Limit of all details together, because they travel sealed in the URL. */
const maxBytes = 2_048

/**
 * Checks the result of `describe`. Throws a TypeError for a mistake of the app, and `invalid_request` for rows that are
 * too long, because the user controls their length.
 */
export function readDetails(given: unknown): Details {
  if (!isPlainObject(given)) throw wrong('describe must return { title?, rows, action? }')
  const { title, rows, action } = given
  if (action === '') throw wrong('describe: action must not be empty')
  if (!Array.isArray(rows) || rows.length === 0) throw wrong('describe: rows must be a non-empty array')
  if (rows.length > maxRows) throw tooLong(`rows must be ${maxRows} or fewer`)
  const details: Details = {
    ...(title !== undefined && { title: readString(title, 'title', maxTitleLength) }),
    rows: rows.map((row: unknown, index) => {
      if (!Array.isArray(row) || row.length !== 2)
        throw wrong(`describe: rows[${index}] must be [label, value]`)
      const [label, value] = row
      return [
        readString(label, `rows[${index}][0]`, maxLabelLength),
        readString(value, `rows[${index}][1]`, maxValueLength),
      ] as const
    }),
    ...(action !== undefined && { action: readString(action, 'action', maxLabelLength) }),
  }
  if (Buffer.byteLength(JSON.stringify(details)) > maxBytes) throw tooLong(`${maxBytes} bytes at most in all`)
  return details
}

function readString(value: unknown, name: string, maxLength: number): string {
  if (typeof value !== 'string')
    throw wrong(
      `describe: ${name} must be a string. ${value === undefined ? parserQuestion : 'Pass it through String().'}`,
    )
  if (value.length > maxLength) throw tooLong(`${name} must have ${maxLength} characters or fewer`)
  return printable(value)
}

/** Makes a value one line without line ends and without characters that change the text direction (Trojan Source). */
function printable(value: string): string {
  return value
    .replace(/[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

function wrong(message: string): TypeError {
  return new TypeError(`requireTwoFactor: ${message}`)
}

function tooLong(message: string): TwoFactorError {
  return new TwoFactorError('invalid_request', { message: `Details: ${message}.` })
}

/** The account of a requirement, and the language of its description. */
export type Described = Pick<GrantQuery, 'subject' | 'purpose' | 'bound'> & { readonly locale: string }

/** Enough to detect the mistake during development. When it is full, everything is forgotten, which needs no order. */
const maxRemembered = 100

/**
 * Warns if a code that was displayed for one action also confirms another: a grant fits wherever purpose and bound
 * fields are equal, whatever was displayed. It only warns, because a rate or a date may be displayed without being
 * bound.
 */
export function createShownCheck(warn: Warn) {
  const remembered = new Map<string, ReadonlyMap<string, string>>()

  /** Called at each refusal. */
  return ({ subject, purpose, bound, locale }: Described, { title = '', rows }: Details): void => {
    const key = hashId(JSON.stringify([subject, purpose, bound, locale]))
    const hashes = new Map(
      [['title', title] as const, ...rows].map(([label, value]) => [label, hashId(value)]),
    )
    const before = remembered.get(key) ?? hashes
    if (remembered.size >= maxRemembered) remembered.clear()
    remembered.set(key, hashes)
    const [label] = [...hashes].find(([label, value]) => before.get(label) !== value) ?? []
    if (label !== undefined) warn('TWO_FACTOR_ROWS_NOT_BOUND', `purpose "${purpose}", "${label}"`)
  }
}

/**
 * Returns the fields that `bind` probably misspells, with their values: the request contains an empty field, or all fields
 * are empty. A value that the client itself sent is no mistake of the app.
 */
export function findMisspelt(bound: unknown, body: unknown): readonly string[] {
  const sent: Readonly<Record<string, unknown>> = Object(body)
  const fields = Object.entries<unknown>(Object(bound))
  const missing = fields.filter(([name, value]) => isEmpty(value) && !isAsSent(value, sent[name]))
  const isAll = missing.length === fields.length
  const isSuspect = isAll || missing.some(([name]) => Object.hasOwn(sent, name))
  return Object.keys(sent).length > 0 && isSuspect ? missing.map(describeEmpty) : []
}

const isEmpty = (value: unknown) => value === undefined || Number.isNaN(value) || isEmptyText(value)

/** Returns whether the client sent this empty value, or a text that is no number. */
const isAsSent = (value: unknown, sent: unknown) =>
  typeof sent === 'string' && (sent === value || (String(value) === 'NaN' && Number.isNaN(Number(sent))))

function describeEmpty([name, value]: readonly [string, unknown]): string {
  if (value === undefined) return name
  return typeof value === 'string' ? `${name} is the text "${value}"` : `${name} is ${value}`
}
