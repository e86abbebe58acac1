import { type Check, nonEmptyString, optionError, timeoutMs, withMethods } from '../lib/options.js'

const isCodeProvider = withMethods(
  ['sendCode', 'checkCode'],
  'must be a CodeProvider, such as providerCodes({ client: createClient({ … }), approvedStatuses: [ … ] })',
)

export const providerOption: Check = (value, name) => {
  isCodeProvider(value, name)
  const { name: own, timeoutMs: ms } = Object(value)
  if (own !== undefined) nonEmptyString()(own, `${name}.name`)
  if (ms !== undefined) timeoutMs(ms, `${name}.timeoutMs`)
}

const watches = { balance: 'balance', delivery: 'messageState' } as const

/** An option that watches needs a provider that can be looked at. */
export function refuseBlindOptions({ provider, watch }: Readonly<Record<string, unknown>>): void {
  const { members = [] } = Object(provider)
  const providers: readonly unknown[] = [provider, ...members]
  for (const [option, method] of Object.entries(watches)) {
    if (Object(watch)[option] === undefined) continue
    if (providers.some((one) => typeof Object(one)[method] === 'function')) continue
    throw optionError(
      `twoFactor: remove watch.${option}, or give the provider a method ${method}(): it has none to ask`,
    )
  }
}
