import { isJsonObject, type JsonObject, repeatsMember } from './answers.js'
import { type Field, type Fields, type OperationName, operations } from './operations.js'
import { camelCase } from './parameters.js'

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
