import { expect, test } from 'vitest'
import { createClient, failover, memoryStore, ownCodes, providerCodes, twoFactor } from '../src/index.js'
import { redisStore } from '../src/store/redis-store.js'
import { startSandbox } from '../src/tools/sandbox/index.js'
import { codeProviderContract, storeContract } from '../src/tools/testing/index.js'

const account = { baseUrl: 'http://127.0.0.1:9/v1', client: 1, key: 'k' }
const options = {
  provider: providerCodes({ client: createClient(account), approvedStatuses: ['verified'] }),
  appName: { login: 'Acme', signup: 'Acme signup' },
  secret: 'a secret of thirty-two bytes or more',
  countries: ['CO'],
  subject: () => null,
  phone: () => undefined,
}
const tf = twoFactor(options)
const contract = { test: () => {}, createStore: () => memoryStore(), elapse: () => {} }
const client = createClient(account)
const codeContract = {
  test: () => {},
  createProvider: () => ownCodes({ client, secret: options.secret }),
  codeFor: () => '482913',
  sendsTo: () => 1,
  fail: () => {},
}
const sendCommand = async () => null

/** Every factory, over what would be right but for one misspelt name. */
const factories: Readonly<Record<string, (change: object) => unknown>> = {
  twoFactor: (change) => twoFactor({ ...options, ...change } as never),
  createClient: (change) => createClient({ ...account, ...change } as never),
  memoryStore: (change) => memoryStore(change),
  redisStore: (change) => redisStore({ sendCommand, ...change } as never),
  requireTwoFactor: (change) => tf.requireTwoFactor(change),
  start: (change) => tf.start(change),
  phoneVerification: (change) => tf.phoneVerification(change),
  storeContract: (change) => storeContract({ ...contract, ...change }),
  startSandbox: (change) => startSandbox(change),
  ownCodes: (change) => ownCodes({ client, secret: options.secret, ...change } as never),
  providerCodes: (change) => providerCodes({ client, approvedStatuses: ['ok'], ...change } as never),
  failover: (change) => failover([ownCodes({ client, secret: options.secret, name: 'a' })], change),
  codeProviderContract: (change) => codeProviderContract({ ...codeContract, ...change } as never),
}

test.each(Object.entries(factories))(
  '%s names itself and the mistake, by the code of option errors',
  async (name, make) => {
    const made = (async () => make({ misspelt: true }))()
    await expect(made).rejects.toBeInstanceOf(TypeError)
    await expect(made).rejects.toMatchObject({
      code: 'ERR_TWO_FACTOR_OPTION',
      message: expect.stringContaining(`${name}: unknown option "misspelt"; `),
    })
  },
)
