import { afterEach, describe, expect, it, vi } from 'vitest'
import type { CodeProvider } from '../../../src/challenge/exchange/code-provider.js'
import { createKeys, createSecrets } from '../../../src/challenge/keys.js'
import { selfTest } from '../../../src/challenge/operator/self-test.js'
import { memoryStore } from '../../../src/store/memory-store.js'
import type { Store } from '../../../src/store/store.js'

const store = memoryStore()
const keys = createKeys('', createSecrets(['a secret of thirty-two bytes or more']))
const provider: CodeProvider = {
  sendCode: async () => ({ result: 'failed' }),
  checkCode: async () => 'rejected',
  balance: async () => ({ credits: 1 }),
}

interface Changes {
  readonly now?: () => number
  readonly store?: Partial<Store> | object
  readonly provider?: Partial<CodeProvider>
  readonly members?: readonly Partial<CodeProvider>[]
}

/** What is found in a deployment that is otherwise well. */
async function finds({ now = Date.now, members, ...changes }: Changes = {}) {
  const domain = { namespace: '', keys, now, store: { ...store, ...changes.store } as Store }
  const asked = { ...provider, ...changes.provider, ...(members && { members, withMembers: () => provider }) }
  const app = { appNames: { login: 'Acme' }, locales: ['en', 'es', 'pt'] }
  return selfTest(domain, asked as CodeProvider, app, () => [])
}
const codes = async (changes: Changes) => (await finds(changes)).findings.map(({ code }) => code)

type Swap = Parameters<typeof store.swap>

function fails(): never {
  throw new Error('down')
}

describe('the self-test', () => {
  afterEach(() => void vi.useRealTimers())

  it('finds no problem in a healthy setup, twice, and stores nothing', async () => {
    const written: string[] = []
    const noting = {
      swap(...args: Swap) {
        written.push(args[0])
        return store.swap(...args)
      },
    }
    expect(await finds({ store: noting })).toEqual({ ok: true, findings: [] })
    expect(await finds({ store: noting })).toEqual({ ok: true, findings: [] })
    expect(new Set(written).size).toBe(2)
    for (const key of written) expect(store.read(key)).toBeUndefined()
  })

  it('reports that no credits are left, and nothing if the account does not return them', async () => {
    const empty = await finds({ provider: { balance: async () => ({ credits: 0 }) } })
    expect(empty).toMatchObject({ ok: false, findings: [{ code: 'no_credits' }] })
    expect(await codes({ provider: { balance: async () => ({}) } })).toEqual([])
  })

  it('reports a failing provider or store for any thrown value', async () => {
    const failing = {
      provider: { balance: () => Promise.reject('refused') },
      store: { read: async () => fails(), inspect: fails },
    }
    expect((await finds(failing)).findings).toMatchObject([
      { code: 'provider_failed', message: 'refused' },
      { code: 'store_failed', message: 'down' },
      { code: 'store_not_inspected', message: 'down' },
    ])
  })

  it.each<[string, object]>([
    ['takes nothing', { swap: () => ({ swapped: false }) }],
    [
      'writes over what stands and says that it did not',
      {
        swap: (key: string, _version: string | undefined, next: object, ttlMs: number) => {
          const standing = store.read(key)
          store.swap(key, standing?.version, next as never, ttlMs)
          return { swapped: standing === undefined }
        },
      },
    ],
    ['says that it took nothing', { swap: (...args: Swap) => ({ ...store.swap(...args), swapped: false }) }],
    [
      'says that it took everything',
      { swap: (...args: Swap) => ({ ...store.swap(...args), swapped: true }) },
    ],
    ['forgets', { read: () => undefined }],
  ])('says when the store %s', async (_, broken) => {
    expect(await codes({ store: broken })).toEqual(['store_unfit'])
  })

  it('passes on findings of store and providers, without quoting errors of a provider', async () => {
    const finding = { code: 'store_evicts', message: 'm', fix: 'f' }
    const guessed = { code: 'statuses_guessed', message: 'Guessed.', fix: 'calibrate' }
    const members = [
      { inspect: async () => Promise.reject(new Error('GET https://api.example/?key=k-canary')) },
      { inspect: async () => [guessed] },
      {},
    ]
    const { findings } = await finds({ members, store: { inspect: async () => [finding] } })
    expect(findings).toMatchObject([finding, { code: 'provider_not_inspected' }, guessed])
    expect(JSON.stringify(findings)).not.toContain('canary')
  })

  const hangs = () => new Promise<never>(() => {})
  it.each<[string, Changes, ms: number, code: string]>([
    ['the provider', { provider: { balance: hangs } }, 10_000, 'provider_failed'],
    ['an inspection', { store: { inspect: hangs } }, 5_000, 'store_not_inspected'],
  ])('ends when %s does not', async (_, changes, ms, code) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const asked = finds(changes)
    await vi.advanceTimersByTimeAsync(ms)
    vi.useRealTimers()
    expect((await asked).findings).toMatchObject([{ code, message: `no response within ${ms} ms` }])
  })

  it('reports a clock that cannot be read or differs by more than five seconds', async () => {
    expect(await codes({ now: fails })).toEqual(['clock_failed'])
    vi.useFakeTimers({ toFake: ['Date'] })
    const at = Date.now()
    expect(await codes({ now: () => at + 5_000 })).toEqual([])
    expect((await finds({ now: () => at - 5_001 })).findings).toMatchObject([
      { code: 'clock_differs', message: expect.stringContaining('5001 ms') },
    ])
  })
})
