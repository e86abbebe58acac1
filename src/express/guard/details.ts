import type { Request } from 'express'
import type { Details } from '../../challenge/exchange/code-provider.js'
import { hashId } from '../../challenge/keys.js'
import { type GrantQuery, parserQuestion } from '../../challenge/proofs/stored-grant.js'
import { TwoFactorError } from '../../errors.js'
import { isPlainObject } from '../../lib/json.js'
import type { Warn } from '../host/warnings.js'

/** What the person is shown of the action of this request. Called only when the guard refuses. */
export type Describe = (
  req: Request,
  context: {
    /** Language tag of the refusal, such as `es`: that of the pages which this person sees. */
    readonly locale: string
  },
) => Details | Promise<Details>

const maxRows = 12
const maxTitleLength = 100
const maxLabelLength = 60
const maxValueLength = 200
/** In total: details travel in the URL, sealed. */
const maxBytes = 2_048

/**
 * What `describe` returned, checked. Throws a TypeError for what the host got wrong, and `invalid_request`
 * for what is too long, because its length is the visitor's.
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

/** One line that reads as it is stored: no line ends, and nothing that turns the direction (Trojan Source). */
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

/** Of whom a proof is asked for, and the language that it is described in. */
export type Described = Pick<GrantQuery, 'subject' | 'purpose' | 'bound'> & { readonly locale: string }

/** Enough to meet the mistake while it is tried out; then all is forgotten, which needs no order. */
const maxRemembered = 100

/**
 * Warns where a code that was shown for one thing would admit another: a grant fits wherever purpose and bound fields
 * are equal, whatever was shown. Only a warning, because a rate or a date may be shown and not be meant.
 */
export function createShownCheck(warn: Warn) {
  const remembered = new Map<string, ReadonlyMap<string, string>>()

  /** Asked at each refusal. */
  return ({ subject, purpose, bound, locale }: Described, { title = '', rows }: Details): void => {
    const key = hashId(JSON.stringify([subject, purpose, bound, locale]))
    const shown = new Map(
      [['title', title] as const, ...rows].map(([label, value]) => [label, hashId(value)]),
    )
    const before = remembered.get(key) ?? shown
    if (remembered.size >= maxRemembered) remembered.clear()
    remembered.set(key, shown)
    const [label] = [...shown].find(([label, value]) => before.get(label) !== value) ?? []
    if (label !== undefined) warn('TWO_FACTOR_ROWS_NOT_BOUND', `purpose "${purpose}", "${label}"`)
  }
}
