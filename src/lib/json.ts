/** A JSON object as it came. Read its own members only: `__proto__` may be one of them. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Parses by content, not by header, with or without a byte order mark. Undefined when it is not JSON. */
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

/** Whether this is an object of plain data: no array, no Date, no instance of a class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** An own member: one inherited from a parsed `__proto__` must not count. */
export function memberOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

type Present<Members> = { [Name in keyof Members]?: Exclude<Members[Name], undefined> }

/** The members that are not undefined; none of an object that is not there. */
export function present<Members extends object>(members: Members | undefined): Present<Members> {
  const entries = Object.entries(members ?? {}).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Present<Members>
}

/** A scalar as a string, so that 1003 and "1003" are the same error. */
export function scalarString(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/gs

/** Whether JSON text repeats a member of its top level: `JSON.parse` would keep only the last. */
export function repeatsMember(text: string): boolean {
  const seen = new Set<string>()
  let depth = 0
  token.lastIndex = 0
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [part, colon] = found
    if (part === '{' || part === '[') depth += 1
    else if (part === '}' || part === ']') depth -= 1
    else if (depth === 1 && colon !== undefined) {
      const name = String(parseJson(part.slice(0, -colon.length)))
      if (seen.has(name)) return true
      seen.add(name)
    }
  }
  return false
}
