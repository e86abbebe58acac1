/** Copies a body member by member, as an app may that trims its texts. A member `__proto__` becomes the prototype. */
export function copyMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyMembers)
  const made: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(value)) made[name] = copyMembers(inner)
  return made
}
