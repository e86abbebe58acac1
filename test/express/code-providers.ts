import { type CodeProvider, createClient, failover, ownCodes, type SendResult } from '../../src/index.js'
import type { ProviderStub } from '../provider-stub.js'
import type { HostOptions } from './kit.js'

export const ownCodesSecret = 'canary-secret-of-thirty-two-bytes'

/** A code lives as long as one of the stub, and every check is counted by it, also where it is asked nothing. */
const counted = (provider: CodeProvider, { checks }: ProviderStub): CodeProvider => ({
  ...provider,
  async sendCode(send) {
    const sent = await provider.sendCode(send)
    return sent.result === 'sent' ? { ...sent, lifetimeMs: 300_000 } : sent
  },
  checkCode(check) {
    checks.push({ path: 'checkCode', form: { code: check.code } })
    return provider.checkCode(check)
  },
})

/** What a test changes in the provider that is asked last. */
export type Change = (real: CodeProvider) => CodeProvider

const nothing: Change = (real) => real

export const own = (stub: ProviderStub, change = nothing) => {
  const client = createClient({ baseUrl: stub.baseUrl, client: 41, key: 'k-canary' })
  return change(counted(ownCodes({ client, secret: ownCodesSecret, origin: 'app.example.com' }), stub))
}

/** A service that files each code under a handle of its own. */
export function withHandles(stub: ProviderStub, change = nothing): CodeProvider {
  const codes = new Map<string, string>()
  const provider: CodeProvider = {
    async sendCode({ destination }) {
      stub.sends.push({ path: 'sendCode', form: { phone: destination } })
      stub.rightCode = String(482_912 + stub.sends.length)
      const handle = `handle-${stub.sends.length}`
      codes.set(handle, stub.rightCode)
      return { result: 'sent', handle }
    },
    async checkCode({ handle = '', code }) {
      const kept = codes.get(handle)
      if (kept === undefined) return 'unavailable'
      return kept === code ? 'approved' : 'rejected'
    },
  }
  return change(counted(provider, stub))
}

const refusing = (result: SendResult['result']): CodeProvider => ({
  name: 'first',
  sendCode: async () => ({ result }) as SendResult,
  checkCode: async () => 'unavailable',
})

/** A failover whose first provider gives this result to every send. */
export const second =
  (result: SendResult['result']) =>
  (stub: ProviderStub, change = nothing) =>
    failover([refusing(result), { ...own(stub, change), name: 'second' }])

type NamedProviders = readonly (readonly [name: string, provider: HostOptions['provider']])[]

/** One of each kind that a host may send and check codes by. */
export const codeProvidersOfEachKind: NamedProviders = [
  ['a client', undefined],
  ['codes of our own', own],
  ['a provider with handles', withHandles],
  ['failover, the first one not reached', second('not-sent')],
]

/** The same, with each reason for which a failover asks the next one. */
export const codeProviders: NamedProviders = [
  ...codeProvidersOfEachKind,
  ['failover, the first one refusing', second('failed')],
  ['failover, the first one misconfigured', second('misconfigured')],
]
