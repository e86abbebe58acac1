import { afterEach, describe, expect, it, vi } from 'vitest'
import type { CodeProvider } from '../../src/challenge/code-provider.js'
import { createKeys, createSecrets } from '../../src/challenge/keys.js'
import { selfTest } from '../../src/challenge/self-test.js'
import { memoryStore } from '../../src/store/memory-store.js'
import type { Store } from '../../src/store/store.js'

const parts = {
  namespace: '',
  store: memoryStore(),
  keys: createKeys('', createSecrets(['a secret of thirty-two bytes or more'])),
  now: Date.now,
}
const reachStore = 'check that the store runs, that it can be reached, and its permissions'
type Swap = Parameters<typeof parts.store.swap>

const app = { appNames: { login: 'Acme' }, locales: ['en', 'es', 'pt'] }

const provider: CodeProvider = {
  sendCode: async () => ({ result: 'failed' }),
  checkCode: async () => 'rejected',
  balance: async () => ({ credits: 1 }),
}

interface Changes extends Partial<Record<keyof typeof parts | 'balance' | 'inspect', unknown>> {
  readonly members?: readonly Partial<CodeProvider>[]
}

function finds({ balance = provider.balance, inspect, members, ...changes }: Changes) {
  const asked = { ...provider, balance, ...(members && { members, over: () => provider }) }
  const { store, ...others } = { ...parts, ...(changes as Partial<typeof parts>) }
  const inspected = inspect === undefined ? store : { ...store, inspect: inspect as Store['inspect'] }
  const domain = { ...others, store: inspected } as typeof parts
  return selfTest(domain, asked as CodeProvider, app, () => [])
}

const codes = async (changes: Parameters<typeof finds>[0]) =>
  (await finds(changes)).findings.map(({ code }) => code)

/** What is found by an account that is otherwise well. */
const found = (code: string, message: string, fix: string) => ({
  ok: false,
  findings: [{ code, message, fix }],
})

function fails(): never {
  throw new Error('down')
}

describe('the self-test', () => {
  afterEach(() => void vi.useRealTimers())

  it('finds nothing wrong with what is well, twice, and leaves nothing behind', async () => {
    const keys: string[] = []
    const store = {
      ...parts.store,
      read: (key: string) => {
        keys.push(key)
        return parts.store.read(key)
      },
    }
    expect(await finds({ store })).toEqual({ ok: true, findings: [] })
    expect(await finds({ store })).toEqual({ ok: true, findings: [] })
    expect(keys).toEqual([expect.stringMatching(/^tf3::count-auth-self-test:/), expect.any(String)])
    expect(keys.map((key) => parts.store.read(key))).toEqual([undefined, undefined])
  })

  it('says when no credits are left, and nothing when the account does not tell', async () => {
    const message = 'The account has no credits left: no code will be sent.'
    const empty = await finds({ balance: async () => ({ credits: 0 }) })
    expect(empty).toEqual(found('no_credits', message, 'recharge the account'))
    expect(await finds({ balance: async () => ({}) })).toEqual({ ok: true, findings: [] })
  })

  it('says when the provider or the store fails, whatever it throws', async () => {
    const store = { ...parts.store, read: () => Promise.reject(new Error('down')) }
    const check = 'check baseUrl, client, key and the address allow-list of the account'
    expect(await finds({ balance: () => Promise.reject('refused'), store })).toEqual({
      ok: false,
      findings: [
        { code: 'provider_failed', message: 'refused', fix: check },
        { code: 'store_failed', message: 'down', fix: reachStore },
      ],
    })
  })

  it.each([
    ['takes nothing', { swap: () => ({ swapped: false }) }],
    ['writes over what stands', { swap: () => ({ swapped: true }) }],
    [
      'writes over what stands and says that it did not',
      {
        swap: (key: string, _version: string | undefined, next: object, ttlMs: number) => {
          const standing = parts.store.read(key)
          parts.store.swap(key, standing?.version, next as never, ttlMs)
          return { swapped: standing === undefined }
        },
      },
    ],
    [
      'says that it took nothing',
      { swap: (...args: Swap) => ({ ...parts.store.swap(...args), swapped: false }) },
    ],
    [
      'says that it took everything',
      { swap: (...args: Swap) => ({ ...parts.store.swap(...args), swapped: true }) },
    ],
    ['forgets', { read: () => undefined }],
  ])('says when the store %s', async (_, broken) => {
    const fix = 'run storeContract of express-two-factor/testing against it'
    expect(await finds({ store: { ...parts.store, ...broken } })).toEqual(
      found('store_unfit', 'The store loses writes or overwrites entries.', fix),
    )
  })

  it('hands on what the store finds, and says when it finds nothing out', async () => {
    const finding = { code: 'store_evicts', message: 'm', fix: 'f' }
    expect(await codes({ inspect: async () => [finding] })).toEqual(['store_evicts'])
    const unknown = await finds({ inspect: async () => fails() })
    expect(unknown.findings).toEqual([{ code: 'store_not_inspected', message: 'down', fix: reachStore }])
    expect(await codes({ inspect: fails })).toEqual(['store_not_inspected'])
  })

  it.each([
    ['the provider', 'balance', 10_000, 'provider_failed'],
    ['an inspection', 'inspect', 5_000, 'store_not_inspected'],
  ])('ends when %s does not', async (_, part, ms, code) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const asked = finds({ [part]: () => new Promise(() => {}) })
    await vi.advanceTimersByTimeAsync(ms)
    vi.useRealTimers()
    expect((await asked).findings).toMatchObject([{ code, message: `no response within ${ms} ms` }])
  })

  it('says when the clock cannot be asked', async () => {
    expect((await finds({ now: fails })).findings).toEqual([
      { code: 'clock_failed', message: 'down', fix: 'remove the option `now`' },
    ])
  })

  it('says when the clock is more than five seconds off that of the machine', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const at = Date.now()
    expect(await finds({ now: () => at + 5_000 })).toMatchObject({ ok: true })
    const message = 'The option `now` differs from the clock of this machine by 5001 ms.'
    expect(await finds({ now: () => at - 5_001 })).toEqual(
      found('clock_differs', message, 'remove the option `now`, and run NTP'),
    )
  })

  it('hears every provider, and repeats nothing of what one throws', async () => {
    const guessed = { code: 'statuses_guessed', message: 'Guessed.', fix: 'calibrate' }
    const members = [
      { inspect: async () => Promise.reject(new Error('GET https://api.example/?key=k-canary')) },
      { inspect: async () => [guessed] },
      {},
    ]
    const { findings } = await finds({ members })
    expect(findings).toMatchObject([{ code: 'provider_not_inspected' }, guessed])
    expect(JSON.stringify(findings)).not.toContain('canary')
  })
})
