/** A parsed JSON object. Read own members only: one may be named `__proto__`. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Parses text as JSON whatever its header, with or without a byte order mark. Returns undefined for other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
  } catch {
    return undefined
  }
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether a value is an object of plain data: no array, no Date, no class instance. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || isRootOfRealm(prototype)
}

/**
 * Returns whether a prototype is the `Object.prototype` of any realm: in Jest, an app has another one than this package.
 * A body that the app copies can be a prototype too, and would add members that are bound to no code. JSON has no
 * functions.
 */
function isRootOfRealm(prototype: object): boolean {
  const own = Object.getOwnPropertyDescriptor(prototype, 'isPrototypeOf')
  return Object.getPrototypeOf(prototype) === null && typeof own?.value === 'function'
}

/** Bound fields are no deeper. */
const maxDataDepth = 32

/**
 * Returns whether parsed data has a member `__proto__`, or inherits data from one at any level: an app that copies a body
 * member by member turns that member into the prototype. Instances of classes are no parsed data.
 */
export function carriesPrototype(value: unknown, depth = 0, seen = new Set<object>()): boolean {
  // Parsers of other formats, such as YAML, may return an object in several places.
  if (typeof value !== 'object' || value === null || depth > maxDataDepth || seen.has(value)) return false
  if (!Array.isArray(value) && !isPlainObject(value)) {
    return typeof memberOf(Object.getPrototypeOf(value), 'constructor') !== 'function'
  }
  seen.add(value)
  if (Object.hasOwn(value, '__proto__')) return true
  return Object.values(value).some((item) => carriesPrototype(item, depth + 1, seen))
}

/** Returns a field that is an object in JSON and its text in a form. Undefined for every other value. */
export function readObjectField(field: unknown): Readonly<Record<string, unknown>> | undefined {
  const value = typeof field === 'string' ? parseJson(field) : field
  return isPlainObject(value) ? value : undefined
}

/** Returns an own member. A member inherited from a parsed `__proto__` does not count. */
export function memberOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> }

/** Returns the members that are not undefined. Without an object it returns no members. */
export function present<Members extends object>(members: Members | undefined): Present<Members> {
  const entries = Object.entries(members ?? {}).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Present<Members>
}

/** Returns a scalar as a string, so that 1003 and "1003" are one error. */
export function scalarString(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/gs

/** Returns whether JSON text repeats a top-level member. `JSON.parse` would keep the last one only. */
export function repeatsMember(text: string): boolean {
  const names = new Set<string>()
  let depth = 0
  token.lastIndex = 0
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [part, colon] = found
    if (part === '{' || part === '[') depth += 1
    else if (part === '}' || part === ']') depth -= 1
    else if (depth === 1 && colon !== undefined) {
      const name = String(parseJson(part.slice(0, -colon.length)))
      if (names.has(name)) return true
      names.add(name)
    }
  }
  return false
}
