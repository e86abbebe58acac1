import { type CodeProvider, createClient, failover, ownCodes } from '../../src/index.js'
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

export const own = (stub: ProviderStub) => {
  const client = createClient({ baseUrl: stub.baseUrl, client: 41, key: 'k-canary' })
  return counted(ownCodes({ client, secret: ownCodesSecret, origin: 'app.example.com' }), stub)
}

/** A service that files each code under a handle of its own. */
function withHandles(stub: ProviderStub): CodeProvider {
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
  return counted(provider, stub)
}

const unreached: CodeProvider = {
  name: 'first',
  sendCode: async () => ({ result: 'not-sent' }),
  checkCode: async () => 'unavailable',
}

/** A failover whose first provider is not reached by any send. */
const second = (stub: ProviderStub) => failover([unreached, { ...own(stub), name: 'second' }])

type NamedProviders = readonly (readonly [name: string, provider: HostOptions['provider']])[]

/** One of each kind that a host may send and check codes by. */
export const codeProvidersOfEachKind: NamedProviders = [
  ['a client', undefined],
  ['codes of our own', own],
  ['a provider with handles', withHandles],
  ['failover, the first one not reached', second],
]
