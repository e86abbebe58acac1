import { z } from 'zod'
import { isJsonObject, type JsonObject } from '../lib/json.js'
import { memoize } from '../lib/memoize.js'

// Answers are read and never refused: a member that cannot be read as documented is left out of the result.

/** How the documentation writes a large integer. */
export const int64 = { type: 'integer', format: 'int64' } as const

/** Text, also where a number came. */
export const text = () => z.preprocess(stringOf, z.string().optional())
/** A number, also where it came as text. */
export const number = () => z.preprocess(numberOf, z.number().optional())
/** Documented as an integer; a fraction is kept all the same. */
export const integer = () => number().meta(int64)
/** The number of a phone is text everywhere, though the documentation calls some of them integers. */
export const phoneInteger = () => text().meta(int64)

/** An object with these members and whatever else came, under the names of this package. */
export function object<Shape extends z.ZodRawShape>(shape: Shape) {
  const twin = twinIn(shape)
  return z.preprocess(
    (value) => (isJsonObject(value) ? withTwin(value, twin) : undefined),
    z
      .looseObject(shape)
      .overwrite((read) => named(read) as typeof read)
      .optional(),
  )
}

/** A list of objects. One object where a list is documented is a list of one. */
export function list<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess(
    (value) => (Array.isArray(value) ? value : [value]).filter(isJsonObject),
    z.array(object(shape)),
  )
}

/** The members of an object; undefined of anything else. */
export function membersOf(field: unknown): z.ZodRawShape | undefined {
  if (!(field instanceof z.ZodPipe && field.out instanceof z.ZodOptional)) return undefined
  const inner = field.out.unwrap()
  return inner instanceof z.ZodObject ? inner.shape : undefined
}

/** The members of each entry of a list; undefined of anything else. */
export function entriesOf(field: unknown): z.ZodRawShape | undefined {
  return field instanceof z.ZodPipe && field.out instanceof z.ZodArray
    ? membersOf(field.out.element)
    : undefined
}

/** One thing has two names: entries of SMS have a `status`, those of calls a `state`, services mix them. */
function twinIn({ status, state }: z.ZodRawShape): readonly [name: string, documented: string] | undefined {
  if (state === undefined && holdsWords(status)) return ['state', 'status']
  return status === undefined && holdsWords(state) ? ['status', 'state'] : undefined
}

/** Some have a number as their status. */
function holdsWords(schema: z.core.$ZodType | undefined): boolean {
  return schema !== undefined && z.safeParse(schema, 'sent').data === 'sent'
}

function withTwin(answer: JsonObject, twin: ReturnType<typeof twinIn>): JsonObject {
  if (twin === undefined) return answer
  const [name, documented] = twin
  if (!Object.hasOwn(answer, name) || Object.hasOwn(answer, documented)) return answer
  const { [name]: value, ...others } = answer
  return { ...others, [documented]: value }
}

/**
 * `minutes_to_expire` on the wire, `minutesToExpire` here. What could not be read is not there at all. Of two
 * spellings of one name the documented one counts: it comes first.
 */
function named(read: JsonObject): JsonObject {
  const result: Record<string, unknown> = {}
  for (const name in read) {
    const own = camelCase(name)
    if (read[name] !== undefined && !Object.hasOwn(result, own)) result[own] = read[name]
  }
  return result
}

/** `country-code` and `minutes_to_expire` on the wire, `countryCode` and `minutesToExpire` here. */
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

/** Beyond 2^53 JSON.parse has rounded: an id read from it would be the id of something else. */
function isExact(number: number): boolean {
  return Number.isSafeInteger(number) || (Number.isFinite(number) && !Number.isInteger(number))
}
