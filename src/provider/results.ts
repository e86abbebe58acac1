import { isJsonObject, type JsonObject, repeatsMember } from './answers.js'
import { type Field, type Fields, type OperationName, operations } from './operations.js'
import { type CamelCase, camelCase } from './parameters.js'
import type { VerifyAnswer } from './verdict.js'

// Numbers of phones are text everywhere, though the documentation calls some of them integers.
type ValueOf<Name, F> = Name extends 'phone'
  ? string
  : F extends 'string'
    ? string
    : F extends 'integer' | 'number'
      ? number
      : F extends { readonly object: infer Inner }
        ? Shape<Inner>
        : never

type ListNames<F> = { [K in keyof F]: F[K] extends { readonly arrayOf: unknown } ? K : never }[keyof F]
type Shape<F> = {
  readonly [K in ListNames<F> as CamelCase<K & string>]: F[K] extends { readonly arrayOf: infer Inner }
    ? readonly Shape<Inner>[]
    : never
} & {
  readonly [K in Exclude<keyof F, ListNames<F>> as CamelCase<K & string>]?: ValueOf<K, F[K]>
} & { readonly [member: string]: unknown }

type Documented<Operation extends OperationName> = Shape<(typeof operations)[Operation]['response']['fields']>

/** `raw` is the answer as it came; it is not enumerable, so it stays out of logs and copies. */
type WithRaw<Result> = Result & { readonly raw: unknown }

type Balance = {
  /** Credits available on the account; absent when the answer names no figure. */
  readonly credits?: number
  readonly [member: string]: unknown
}

/** What each operation resolves with. */
export type ResultOf<Operation extends OperationName> = WithRaw<
  Operation extends 'balance'
    ? Balance
    : Operation extends 'messageState'
      ? readonly Documented<'messageState'>[]
      : Operation extends 'verifyCode'
        ? VerifyAnswer
        : Documented<Operation>
>

/** Turns a successful answer into the documented shape, whichever of its spellings came. */
export function resultOf(operation: OperationName, raw: JsonObject | readonly unknown[]): object {
  const { fields } = operations[operation].response
  if (operation === 'messageState') return withRaw(listOf(fields, raw), raw)
  const answer = raw as JsonObject
  return withRaw(operation === 'balance' ? balanceOf(answer) : shapeOf(fields, answer), raw)
}

/** The complete answer to a code under its HTTP status: whether it is an approval is not said here. */
export function verifyAnswerOf(httpStatus: number, text: string, raw: JsonObject): object {
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

/** Services with this interface answer the credits as `balance`, and `status` is then a flag. */
function balanceOf(answer: JsonObject): JsonObject {
  const { status, balance, ...others } = shapeOf(balanceFields, answer)
  const credits = balance ?? status
  return credits === undefined ? others : { ...others, credits }
}

function withRaw(result: object, raw: unknown): object {
  return Object.defineProperty(result, 'raw', { value: raw, enumerable: false })
}

/** One object where a list is documented is a list of one. */
function listOf(fields: Fields, value: unknown): JsonObject[] {
  const all = Array.isArray(value) ? value : [value]
  return all.filter(isJsonObject).map((one) => shapeOf(fields, one))
}

function shapeOf(fields: Fields, answer: JsonObject): JsonObject {
  const shape: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
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
  return field === 'string' || name === 'phone' ? textOf(value) : figureOf(value)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

function figureOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
}
