import type { CodeProvider } from '../challenge/code-provider.js'
import { type Check, nonEmptyString, optionError, timeoutMs } from '../lib/options.js'
import type { TwoFactorOptions } from '../options.js'
import { codeClient } from '../provider/option-checks.js'

/** What only a client from `createClient` needs or understands. */
const clientOnly = [
  'approvedStatuses',
  'calibratedAt',
  'rejectedCodes',
  'accountErrorCodes',
  'voice',
  'callRetries',
  'countryCode',
] as const satisfies readonly (keyof TwoFactorOptions)[]

const client = codeClient(
  'must be a client from createClient(), or a CodeProvider such as ownCodes({ client, secret })',
)

/** Whether codes come from an adapter instead of a client. */
export function isCodeProvider(provider: unknown): provider is CodeProvider {
  const { sendCode, checkCode } = Object(provider)
  return typeof sendCode === 'function' && typeof checkCode === 'function'
}

/** Whether it is a client, complete or not, and not an adapter around one. */
export function isClient(provider: unknown): boolean {
  return typeof Object(provider).sendSmsCode === 'function' && !isCodeProvider(provider)
}

export const providerOption: Check = (value, name) => {
  if (!isCodeProvider(value)) return client(value, name)
  if (value.name !== undefined) nonEmptyString()(value.name, `${name}.name`)
  if (value.timeoutMs !== undefined) timeoutMs(value.timeoutMs, `${name}.timeoutMs`)
}

/** An option that does nothing would be taken for one that protects. */
export function refuseClientOptions(options: Readonly<Record<string, unknown>>): void {
  const given = clientOnly.filter((name) => options[name] !== undefined)
  if (given.length === 0) return
  throw optionError(
    `twoFactor: remove ${given.join(', ')}: only a provider from createClient() uses ${given.length === 1 ? 'it' : 'them'}, a CodeProvider decides for itself`,
  )
}

const watches = { balance: 'balance', deliveryWatch: 'messageState' } as const

/** An option that watches needs a provider that can be looked at. */
export function refuseBlindOptions({ provider, ...options }: Readonly<Record<string, unknown>>): void {
  const { members = [] } = Object(provider)
  const providers: readonly unknown[] = [provider, ...members]
  for (const [option, method] of Object.entries(watches)) {
    if (options[option] === undefined) continue
    if (providers.some((one) => typeof Object(one)[method] === 'function')) continue
    throw optionError(
      `twoFactor: remove ${option}, or give the provider a method ${method}(): it has none to ask`,
    )
  }
}
