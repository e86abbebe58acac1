import { type CodeProvider, createClient, ownCodes } from '../../src/index.js'
import type { ProviderStub } from '../provider-stub.js'
import type { HostOptions } from './kit.js'

export const ownCodesSecret = 'canary-secret-of-thirty-two-bytes'

/** A code lives as long as one of the stub, and every check is counted by it. */
export function own(stub: ProviderStub): CodeProvider {
  const client = createClient({ baseUrl: stub.baseUrl, client: 41, key: 'k-canary' })
  const provider = ownCodes({ client, secret: ownCodesSecret, origin: 'app.example.com' })
  return {
    ...provider,
    async sendCode(send) {
      const sent = await provider.sendCode(send)
      return sent.result === 'sent' ? { ...sent, lifetimeMs: 300_000 } : sent
    },
    checkCode(check) {
      stub.checks.push({ path: 'checkCode', form: { code: check.code } })
      return provider.checkCode(check)
    },
  }
}

/** Codes of a service that knows numbers alone, and codes that are told apart by a handle each. */
export const codeProvidersOfEachKind: readonly (readonly [name: string, HostOptions['provider']])[] = [
  ['a client', undefined],
  ['codes of our own', own],
]
