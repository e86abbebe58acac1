import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../lib/json.js'
import { memoize } from '../lib/memoize.js'

// Responses are never refused: a member that cannot be read as documented is missing in the result.

/** Documentation of a large integer. */
export const int64 = { type: 'integer', format: 'int64' } as const

/** Reads a text or a number as text. */
export const lenientText = () => z.preprocess(stringOf, z.string().optional())
/** Reads a number or a text as a number. */
export const lenientNumber = () => z.preprocess(numberOf, z.number().optional())
/** Reads a number. The documentation names an integer, but a fraction is accepted. */
export const lenientInteger = () => lenientNumber().meta(int64)
/** Reads a phone number as text, although the documentation names an integer. */
export const phoneInteger = () => lenientText().meta(int64)

/** Reads an object with these members and any others, under the names of this package. */
export function lenientObject<Shape extends z.ZodRawShape>(shape: Shape) {
  const otherName = otherNameIn(shape)
  return z.preprocess(
    (value) => (isJsonObject(value) ? withOtherName(value, otherName) : undefined),
    z
      .looseObject(shape)
      .overwrite((read) => named(read) as typeof read)
      .optional(),
  )
}

/** Reads a list of objects. A single object counts as a list of one. */
export function lenientList<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess(
    (value) => (Array.isArray(value) ? value : [value]).filter(isJsonObject),
    z.array(lenientObject(shape)),
  )
}

/** Returns the members of an object schema, or undefined for other schemas. */
export function shapeOf(field: unknown): z.ZodRawShape | undefined {
  if (!(field instanceof z.ZodPipe && field.out instanceof z.ZodOptional)) return undefined
  const inner = field.out.unwrap()
  return inner instanceof z.ZodObject ? inner.shape : undefined
}

/** Returns the members of the entries of a list schema, or undefined for other schemas. */
export function entryShapeOf(field: unknown): z.ZodRawShape | undefined {
  return field instanceof z.ZodPipe && field.out instanceof z.ZodArray
    ? shapeOf(field.out.element)
    : undefined
}

/**
 * Returns the second name of a member that has two: entries of SMS have a `status`, entries of calls a `state`, and
 * services mix them.
 */
function otherNameIn({
  status,
  state,
}: z.ZodRawShape): readonly [name: string, documented: string] | undefined {
  if (state === undefined && holdsWords(status)) return ['state', 'status']
  return status === undefined && holdsWords(state) ? ['status', 'state'] : undefined
}

/** Returns whether a status is text. Some operations have a number. */
function holdsWords(schema: z.core.$ZodType | undefined): boolean {
  return schema !== undefined && z.safeParse(schema, 'sent').data === 'sent'
}

function withOtherName(answer: JsonObject, otherName: ReturnType<typeof otherNameIn>): JsonObject {
  if (otherName === undefined) return answer
  const [name, documented] = otherName
  if (!Object.hasOwn(answer, name) || Object.hasOwn(answer, documented)) return answer
  const { [name]: value, ...others } = answer
  return { ...others, [documented]: value }
}

/**
 * Renames members: `minutes_to_expire` becomes `minutesToExpire`. Unreadable members are omitted. Of two spellings of
 * one name the documented spelling counts, because it comes first.
 */
function named(read: JsonObject): JsonObject {
  const result: Record<string, unknown> = {}
  for (const name in read) {
    const own = camelCase(name)
    if (read[name] !== undefined && !Object.hasOwn(result, own)) result[own] = read[name]
  }
  return result
}

/** Converts names on the wire, `country-code` and `minutes_to_expire`, to `countryCode` and `minutesToExpire`. */
export const camelCase = memoize((name) =>
  name.replace(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase()),
)

function stringOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' && isExact(value) ? String(value) : undefined
}

function numberOf(value: unknown): number | undefined {
  const isNumeral = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim())
  const number = isNumeral ? Number(value) : value
  return typeof number === 'number' && isExact(number) ? number : undefined
}

/**
 * Returns whether a number is exact. JSON.parse rounds beyond 2^53, and a rounded id would be the id of another record.
 */
function isExact(number: number): boolean {
  return Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number))
}
