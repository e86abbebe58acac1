/** Whether this names a way of proving who one is, such as `passkey`: a grant holds one, a guard asks for some. */
export function isMethodName(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.-]{1,32}$/.test(value)
}

/** What {@link isMethodName} asks for, as the end of the sentence "method …". */
export const methodNameRule =
  "must be 1 to 32 letters, digits, dots, hyphens or underscores, such as 'passkey'"

/** The method of an authenticator app: nothing is sent, and no provider is asked. */
export const appMethod = 'app'

/** The methods of a provider that declares none: those of the provider's interface. */
export const interfaceMethods = [{ name: 'sms' }, { name: 'call' }] as const

/** Whether this is one of these methods, by its name. */
export const isOneOf = (methods: readonly { readonly name: string }[], name: unknown): name is string =>
  methods.some((method) => method.name === name)
