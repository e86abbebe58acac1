import { type CodeProvider, createClient, failover, ownCodes } from '../../src/index.js'
import type { ProviderStub } from '../provider-stub.js'
import { type HostOptions, stubCodes } from './kit.js'

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

const inTurn = (stub: ProviderStub) =>
  failover([stubCodes(stub, { name: 'first' }), stubCodes(stub, { name: 'second' })])

/**
 * Codes of a service that knows numbers alone, by itself and behind a handle that tells who sent them; and codes that are
 * told apart by a handle each.
 */
export const codeProvidersOfEachKind: readonly (readonly [
  name: string,
  provider: HostOptions['provider'],
  areToldApart: boolean,
])[] = [
  ['a client', undefined, false],
  ['several clients in turn', inTurn, false],
  ['codes of our own', own, true],
]
