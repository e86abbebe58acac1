import type { z } from 'zod'

/** What a text stands for: numbers and booleans may be sent as text, which a form and a shell do anyway. */
export function fromText(schema: z.ZodType, text: string): unknown {
  if (schema.safeParse(text).success) return text
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d+$/.test(text) ? Number(text) : text
}
