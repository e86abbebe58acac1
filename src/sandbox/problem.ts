import type { z } from 'zod'

/** What is wrong with a value, as a sentence that names the place; undefined if nothing is. */
export function problemIn(schema: z.ZodType, value: unknown): string | undefined {
  const { error } = schema.safeParse(value, { error: ruleOf })
  const [issue] = error?.issues ?? []
  if (issue === undefined) return undefined
  const place = issue.path.join('.')
  if (issue.code !== 'unrecognized_keys') return `${place === '' ? 'the body' : place} ${issue.message}`
  return issue.message
}

const kinds: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  string: 'a string',
  int: 'an integer',
  boolean: 'true or false',
}

/** The rule that a value breaks, never the value. */
function ruleOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `unknown member "${issue.keys.join('", "')}"`
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${kinds[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`
    case 'too_small':
      return `must be at least ${issue.minimum}`
    case 'too_big':
      return `must be at most ${issue.maximum}${issue.origin === 'string' ? ' characters long' : ''}`
    case 'invalid_format':
      return `must match ${issue.pattern}`
    default:
      return 'is not as described'
  }
}

/** What a text stands for: numbers and booleans may be sent as text, which a form and a shell do anyway. */
export function fromText(schema: z.ZodType, text: string): unknown {
  if (schema.safeParse(text).success) return text
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d+$/.test(text) ? Number(text) : text
}
