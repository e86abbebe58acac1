import type { CodeProvider, CompositeProvider } from '../challenge/code-provider.js'
import { appMethod, interfaceMethods } from '../lib/method-names.js'
import { didYouMean } from '../lib/nearest-name.js'
import { optionError } from '../lib/options.js'
import type { TwoFactorOptions } from '../options.js'
import { codeProvider } from '../provider/option-checks.js'
import type { WatchRules } from './operator-options.js'

export const providerOption = codeProvider(
  'must be a CodeProvider, such as providerCodes({ client: createClient({ … }), approvedStatuses: [ … ] })',
)

/** Each method that codes may take has to be one of the provider's: one that is misspelt would never be offered. */
export function refuseUndeclaredChannels(
  options: Pick<TwoFactorOptions, 'provider' | 'channels' | 'purposes' | 'authenticator'>,
): void {
  const { provider, channels = [], purposes = {}, authenticator } = options
  const apps = authenticator === undefined ? [] : [appMethod]
  const declared = [...(provider.methods ?? interfaceMethods).map((method) => method.name), ...apps]
  const lists: readonly (readonly [option: string, names: readonly string[]])[] = [
    ['channels', channels],
    ...Object.entries(purposes).map(
      ([name, own]) => [`purposes.${name}.channels`, own.channels ?? []] as const,
    ),
  ]
  for (const [option, names] of lists) {
    const unknown = names.find((name) => !declared.includes(name))
    if (unknown === undefined) continue
    const hint = didYouMean(unknown, declared, `it has: ${declared.join(', ')}`)
    throw optionError(`twoFactor: ${option}: the provider declares no method "${unknown}"; ${hint}`)
  }
  const isOffered = channels.length === 0 || lists.some(([, names]) => names.includes(appMethod))
  if (authenticator !== undefined && !isOffered) {
    throw optionError(`twoFactor: authenticator: add '${appMethod}' to channels, or to those of a purpose`)
  }
}

const watches = [
  ['balance', 'balance'],
  ['delivery', 'messageState'],
] as const

/** An option that watches needs a provider that can be looked at. */
export function refuseBlindOptions(provider: CodeProvider, watch: WatchRules): void {
  const { members = [] }: Partial<CompositeProvider> = provider
  for (const [option, method] of watches) {
    const isSeeing = [provider, ...members].some((one) => typeof one[method] === 'function')
    if (watch[option] === undefined || isSeeing) continue
    throw optionError(
      `twoFactor: remove watch.${option}, or give the provider a method ${method}(): it has none to ask`,
    )
  }
}
