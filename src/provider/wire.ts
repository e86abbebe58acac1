import { z } from 'zod'
import { isJsonObject, type JsonObject, parseJson, repeatsMember } from '../lib/json.js'
import { memoize } from '../lib/memoize.js'
import { camelCase, lenientList, lenientNumber, lenientObject } from './answer-schemas.js'
import { type Operation, type OperationName, operations } from './operations.js'
import { quotable, refusedError } from './provider-error.js'
import type { AnsweredExchange } from './send.js'
import { effectiveError } from './verdict.js'

// Rules beyond the schemas of the operations: the spelling of numbers, undocumented parameters, and response members
// with another meaning than their name.

/** Spelling of numbers in requests: `573001234567` (`digits`) or `+573001234567` (`plus`). */
export type NumberFormat = 'digits' | 'plus'

/** Handling of undocumented parameters: refused as a mistake, or sent unchanged. */
export type Further = 'refused' | 'sent'

type GivenParams = Readonly<Record<string, unknown>>

/**
 * Services with this interface return the credits as `balance` or `credits`, and `status` is then a flag. Read as
 * credits, the flag would report a full account as nearly empty.
 */
const balanceFields = () => ({ status: lenientNumber(), balance: lenientNumber(), credits: lenientNumber() })

interface Schemas {
  readonly params: z.ZodType<GivenParams>
  /** Names on the wire by the names of this package, in the order of the documentation. */
  readonly names: ReadonlyMap<string, string>
  readonly answer: z.ZodType
}

const schemasOf = memoize((name): Schemas => {
  const operation = name as OperationName
  const { params: parametersOf, fields }: Operation = operations[operation]
  const params = parametersOf()
  const shape = Object.entries(params).map(([name, { schema, required }]) => {
    return [name, required ? schema : schema.optional()]
  })
  return {
    params: z.object(Object.fromEntries(shape)),
    names: new Map(Object.keys(params).map((wireName) => [camelCase(wireName), wireName])),
    // The documentation names one message, but services return a list.
    answer: (operation === 'messageState' ? lenientList : lenientObject)(
      operation === 'balance' ? balanceFields() : fields(),
    ),
  }
})

/**
 * Checks the parameters of one operation and form-encodes them, each behind an `&`.
 * A TypeError names the parameter as the caller wrote it and the rule, never the value.
 */
export function encodeParams(
  operation: OperationName,
  params: GivenParams,
  numberFormat: NumberFormat,
  further: Further,
): string {
  const { params: schema, names } = schemasOf(operation)
  const given: Record<string, unknown> = {}
  for (const [name, wireName] of names) if (params[name] !== undefined) given[wireName] = params[name]
  const { data, error } = schema.safeParse(given)
  if (error !== undefined) throw new TypeError(`${operation}: ${refusal(error, params)}`)
  const { contradiction }: Operation = operations[operation]
  const contradicts = contradiction?.(data)
  if (contradicts !== undefined) throw new TypeError(`${operation}: ${camelCase(contradicts)}`)
  let form = ''
  for (const wireName of names.values()) {
    const value = data[wireName]
    if (value === undefined) continue
    const written = wireName === 'phone' ? phonesIn(String(value), numberFormat) : String(value)
    form += `&${wireName}=${encodeURIComponent(written)}`
  }
  return form + encodeFurther(operation, params, further)
}

function refusal({ issues: [issue] }: z.ZodError, params: GivenParams): string {
  const name = camelCase(String(issue?.path[0]))
  return params[name] === undefined
    ? `${name} is required; it ${issue?.message}`
    : `${name} ${issue?.message}`
}

function phonesIn(phones: string, numberFormat: NumberFormat): string {
  const digits = phones.replaceAll('+', '')
  return numberFormat === 'plus' ? `+${digits.replaceAll(',', ',+')}` : digits
}

function encodeFurther(operation: OperationName, params: GivenParams, further: Further): string {
  const { names } = schemasOf(operation)
  let form = ''
  for (const name of Object.keys(params)) {
    const value = params[name]
    if (names.has(name) || value === undefined) continue
    if (further === 'refused' || name === 'client' || name === 'key') {
      throw new TypeError(
        `${operation}: unknown parameter "${name}"; expected: ${[...names.keys()].join(', ') || 'none'}`,
      )
    }
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new TypeError(`${operation}: ${name} must be a string, a number or a boolean`)
    }
    form += `&${encodeURIComponent(name)}=${encodeURIComponent(value)}`
  }
  return form
}

/** Returns the result in a complete response to `form`. Throws a ProviderError for any response that is no success. */
export function readAnswer(operation: OperationName, answered: AnsweredExchange, form: string): object {
  const { httpStatus, text } = answered
  const answer = text === undefined ? undefined : parseJson(text)
  if (operation === 'verifyCode') {
    if (text !== undefined && isJsonObject(answer)) {
      return quotable(verifyAnswerOf(httpStatus, text, answer), form)
    }
  } else if (httpStatus === 200 && isSuccess(operation, answer)) {
    const result = resultOf(operation, answer)
    return operation.startsWith('send') ? quotable(result, form) : result
  }
  throw refusedError(operation, answered, answer, form)
}

function isSuccess(operation: OperationName, answer: unknown): answer is JsonObject | readonly unknown[] {
  if (Array.isArray(answer)) return operation === 'messageState'
  return isJsonObject(answer) && effectiveError(answer) === undefined
}

/** Converts a successful response from any of its spellings to the documented shape. */
function resultOf(operation: OperationName, raw: JsonObject | readonly unknown[]): JsonObject {
  const result = schemasOf(operation).answer.parse(raw) as JsonObject
  return withRaw(operation === 'balance' ? balanceOf(result, raw) : result, raw)
}

function balanceOf({ status, balance, credits: named, ...others }: JsonObject, raw: object): JsonObject {
  const statusIsFlag = Object.hasOwn(raw, 'balance') || Object.hasOwn(raw, 'credits')
  const credits = balance ?? named ?? (statusIsFlag ? undefined : status)
  return credits === undefined ? others : { ...others, credits }
}

/**
 * Returns the complete response to a code with its HTTP status. It does not decide whether the response approves the
 * code.
 */
function verifyAnswerOf(httpStatus: number, text: string, raw: JsonObject): JsonObject {
  const names = Object.keys(raw)
  // With two statuses it is unclear which one counts, so there is none (RFC 8259, section 4). Each member has a colon:
  // if there are no more colons than members, no member is repeated and the text need not be read again.
  const ambiguous = text.split(':').length - 1 > names.length && repeatsMember(text)
  const answer: Record<string, unknown> = {}
  for (const name of names) {
    if (name !== '__proto__' && !(ambiguous && name === 'status')) answer[name] = raw[name]
  }
  // Set last, so that a member of this name cannot replace the status line.
  answer.httpStatus = httpStatus
  return withRaw(answer, raw)
}

function withRaw<Result extends object>(result: Result, raw: unknown): Result {
  return Object.defineProperty(result, 'raw', { value: raw, enumerable: false })
}
