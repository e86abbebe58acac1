import type { z } from 'zod'
import { unknownName } from '../../lib/options.js'

/**
 * Returns the problem of a value as a sentence with the place and the rule, never the value; undefined without a
 * problem. `member` is the word for its members.
 */
export function problemIn(schema: z.ZodType, value: unknown, member = 'member'): string | undefined {
  const { error } = schema.safeParse(value, { error: (issue) => ruleOf(issue, member) })
  const [issue] = error?.issues ?? []
  if (issue === undefined || issue.code === 'unrecognized_keys') return issue?.message
  return `${issue.path.length === 0 ? `the ${member}s` : pathOf(issue.path)} ${issue.message}`
}

/** `allowedHosts[0]`, `credentials.key`. */
function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')
}

const kinds: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  string: 'a string',
  // For values that are not numbers, and for fractions.
  number: 'an integer',
  int: 'an integer',
  boolean: 'true or false',
}

/** Returns the violated rule, never the value. */
function ruleOf(issue: z.core.$ZodRawIssue, member: string): string {
  switch (issue.code) {
    case 'unrecognized_keys': {
      const { shape } = issue.inst as z.ZodObject
      return unknownName(
        member,
        pathOf([...(issue.path ?? []), ...issue.keys.slice(0, 1)]),
        Object.keys(shape),
      )
    }
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${kinds[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`
    case 'too_small':
      return `must be at least ${issue.minimum}`
    case 'too_big':
      return `must be at most ${issue.maximum}`
    case 'invalid_format':
      return `must match ${issue.pattern}`
    default:
      return 'is not as described'
  }
}

/** Parses a text: numbers and booleans may be sent as text, as forms and shells do. */
export function fromText(schema: z.ZodType, text: string): unknown {
  const { error } = schema.safeParse(text)
  // The format check refuses a text of the wrong form.
  if (error === undefined || error.issues[0]?.code === 'invalid_format') return text
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d+$/.test(text) ? Number(text) : text
}
