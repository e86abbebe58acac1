import {
  effectiveError,
  isJsonObject,
  type JsonObject,
  memberOf,
  parseJson,
  repeatsMember,
  scalarString,
} from './answers.js'
import { reasonOf } from './failure.js'
import { mask, masked } from './masking.js'
import { type Field, type Fields, type OperationName, operations } from './operations.js'
import { camelCase } from './parameters.js'
import { ProviderError } from './provider-error.js'
import type { Answered, Lost } from './send.js'
import type { VerifyAnswer } from './verdict.js'

/**
 * Under this an answer to a code quotes itself for events. What was sent, and the account key with it, is known
 * to a closure only: nothing that prints or copies the answer shows it.
 */
const quote = Symbol('quote')

interface Quoted {
  readonly status?: string | undefined
  readonly error?: string | undefined
}

/** The result in a whole answer to `form`. Throws a ProviderError for anything that is no success. */
export function readAnswer(operation: OperationName, answered: Answered, form: string): object {
  const { httpStatus, text } = answered
  const answer = text === undefined ? undefined : parseJson(text)
  if (text !== undefined && isJsonObject(answer)) {
    if (operation === 'verifyCode') {
      const verifyAnswer = verifyAnswerOf(httpStatus, text, answer)
      return Object.defineProperty(verifyAnswer, quote, { value: () => quoted(verifyAnswer, form) })
    }
    if (httpStatus === 200 && effectiveError(answer) === undefined) return resultOf(operation, answer)
  }
  if (httpStatus === 200 && operation === 'messageState' && Array.isArray(answer)) {
    return resultOf(operation, answer)
  }
  throw refusedError(operation, answered, answer, form)
}

function refusedError(
  operation: OperationName,
  { httpStatus, headers, text }: Answered,
  answer: unknown,
  form: string,
): ProviderError {
  const object = isJsonObject(answer) ? answer : {}
  const error = scalarString(effectiveError(object))
  return new ProviderError({
    operation,
    delivery: 'answered',
    reason: 'answer',
    description: describeRefused(text, answer),
    httpStatus,
    headers,
    providerError: error === undefined ? undefined : masked(error, form),
    providerMessage: scalarString(memberOf(object, 'msg')),
    raw: answer ?? text,
  })
}

function describeRefused(text: string | undefined, answer: unknown): string {
  if (text === undefined) return 'the answer has a content coding that was not requested'
  return isJsonObject(answer) ? 'the provider refused' : 'the answer is not a JSON object'
}

/** The error of an exchange without a whole answer. */
export function lostError(operation: OperationName, { delivery, cause, httpStatus }: Lost): ProviderError {
  const before = delivery === 'not-sent' ? 'no connection' : 'the answer was lost'
  return new ProviderError({
    operation,
    delivery,
    reason: reasonOf(cause),
    description: `${before} (${cause})`,
    httpStatus,
  })
}

/** The `status` and the `error` of an answer to a code, fit for an event. */
export function spokenIn(answer: VerifyAnswer & { readonly [quote]?: () => Quoted }): Quoted {
  // Of an answer that the client did not make, nobody can say what in it is secret.
  return answer[quote]?.() ?? {}
}

function quoted(answer: JsonObject, form: string): Quoted {
  return {
    status: readable(memberOf(answer, 'status'), form),
    error: readable(effectiveError(answer), form),
  }
}

function readable(value: unknown, form: string): string | undefined {
  const text = scalarString(value)
  if (text === undefined) return undefined
  const safe = masked(text, form)
  // An error number has up to five digits and stands alone. Within words, digits may be the right code.
  return /^\d{1,5}$/.test(safe) ? safe : safe.replaceAll(/\d{4,}/g, mask)
}

/** Turns a successful answer into the documented shape, whichever of its spellings came. */
function resultOf(operation: OperationName, raw: JsonObject | readonly unknown[]): object {
  const { fields } = operations[operation].response
  if (operation === 'messageState') return withRaw(listOf(fields, raw), raw)
  const answer = raw as JsonObject
  return withRaw(operation === 'balance' ? balanceOf(answer) : shapeOf(fields, answer), raw)
}

/** The complete answer to a code under its HTTP status: whether it is an approval is not said here. */
function verifyAnswerOf(httpStatus: number, text: string, raw: JsonObject): JsonObject {
  // Of two statuses nobody can say which one counts, so there is none (RFC 8259, section 4).
  const ambiguous = repeatsMember(text)
  const answer: Record<string, unknown> = {}
  for (const name of Object.keys(raw)) {
    if (name !== '__proto__' && !(ambiguous && name === 'status')) answer[name] = raw[name]
  }
  // Last, so that a member of that name cannot stand in for the status line.
  answer.httpStatus = httpStatus
  return withRaw(answer, raw)
}

const balanceFields = { status: 'number', balance: 'number', credits: 'number' } as const

/**
 * Services with this interface return the credits as `balance` or `credits`, and `status` is then a flag:
 * taken for credits when the other member cannot be read, it would report a full account as nearly empty.
 */
function balanceOf(answer: JsonObject): JsonObject {
  const { status, balance, credits: named, ...others } = shapeOf(balanceFields, answer)
  const statusIsFlag = Object.hasOwn(answer, 'balance') || Object.hasOwn(answer, 'credits')
  const credits = balance ?? named ?? (statusIsFlag ? undefined : status)
  return credits === undefined ? others : { ...others, credits }
}

function withRaw<Result extends object>(result: Result, raw: unknown): Result {
  return Object.defineProperty(result, 'raw', { value: raw, enumerable: false })
}

/** One object where a list is documented is a list of one. */
function listOf(fields: Fields, value: unknown): JsonObject[] {
  const all = Array.isArray(value) ? value : [value]
  return all.filter(isJsonObject).map((one) => shapeOf(fields, one))
}

function shapeOf(fields: Fields, answer: JsonObject): JsonObject {
  const shape: Record<string, unknown> = {}
  for (const name in fields) {
    const field = fields[name]
    if (typeof field === 'object' && 'arrayOf' in field) shape[camelCase(name)] = []
  }
  for (const [name, member] of Object.entries(answer)) {
    // Assigned, it would become the prototype of the result.
    if (name === '__proto__') continue
    const documented = documentedName(fields, name, answer)
    const field = Object.hasOwn(fields, documented) ? fields[documented] : undefined
    const value = field === undefined ? member : readField(documented, field, member)
    if (value !== undefined) shape[camelCase(documented)] = value
  }
  return shape
}

/** One thing has two names: entries of SMS have a `status`, those of calls a `state`, services mix them. */
function documentedName(fields: Fields, name: string, answer: JsonObject): string {
  const other = name === 'state' ? 'status' : 'state'
  const isOneOfTwo = (name === 'state' || name === 'status') && !Object.hasOwn(fields, name)
  return isOneOfTwo && fields[other] === 'string' && !Object.hasOwn(answer, other) ? other : name
}

function readField(name: string, field: Field, value: unknown): unknown {
  if (typeof field === 'object') {
    if ('arrayOf' in field) return listOf(field.arrayOf, value)
    return isJsonObject(value) ? shapeOf(field.object, value) : undefined
  }
  // Phone numbers are strings everywhere, though the documentation calls some of them integers.
  return field === 'string' || name === 'phone' ? stringOf(value) : numberOf(value)
}

function stringOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' && isExact(value) ? String(value) : undefined
}

function numberOf(value: unknown): number | undefined {
  const isNumeral = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim())
  const number = isNumeral ? Number(value) : value
  return typeof number === 'number' && isExact(number) ? number : undefined
}

/** Beyond 2^53 JSON.parse has rounded: an id read from it would be the id of something else. */
function isExact(number: number): boolean {
  return Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number))
}
