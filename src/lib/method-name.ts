/** Whether this names a way of proving who one is, such as `passkey`: a grant holds one, a guard asks for some. */
export function isMethodName(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.-]{1,32}$/.test(value)
}
