import { afterEach, describe, expect, it, vi } from 'vitest'
import { createKeys } from '../../src/challenge/keys.js'
import { createSecrets } from '../../src/challenge/secrets.js'
import { selfTest } from '../../src/challenge/self-test.js'
import { memoryStore } from '../../src/store/memory-store.js'
import type { Finding } from '../../src/store/store.js'

const parts = {
  balance: async () => ({ credits: 1 }),
  store: memoryStore(),
  inspect: async (): Promise<readonly Finding[]> => [],
  providers: [] as { inspect(): Promise<readonly Finding[]> }[],
  settings: (): readonly Finding[] => [],
  keys: createKeys('', createSecrets(['a secret of thirty-two bytes or more'])),
  now: Date.now,
}
type Swap = Parameters<typeof parts.store.swap>

const finds = (changes: { [Part in keyof typeof parts]?: unknown }) =>
  selfTest({ ...parts, ...(changes as Partial<typeof parts>) })

const codes = async (changes: Parameters<typeof finds>[0]) =>
  (await finds(changes)).findings.map(({ code }) => code)

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
    expect(keys).toEqual([expect.stringMatching(/^tf2::count-auth-self-test:/), expect.any(String)])
    expect(keys.map((key) => parts.store.read(key))).toEqual([undefined, undefined])
  })

  it('says when no credits are left, and nothing when the account does not tell', async () => {
    expect(await finds({ balance: async () => ({ credits: 0 }) })).toEqual({
      ok: false,
      findings: [
        {
          code: 'no_credits',
          message: 'The account has no credits left: no code will be sent.',
          fix: 'recharge the account',
        },
      ],
    })
    expect(await finds({ balance: async () => ({}) })).toEqual({ ok: true, findings: [] })
  })

  it('says when the provider or the store fails, whatever it throws', async () => {
    const store = { ...parts.store, read: () => Promise.reject(new Error('down')) }
    expect(await finds({ balance: () => Promise.reject('refused'), store })).toEqual({
      ok: false,
      findings: [
        {
          code: 'provider_failed',
          message: 'refused',
          fix: 'check baseUrl, client, key and the address allow-list of the account',
        },
        {
          code: 'store_failed',
          message: 'down',
          fix: 'check that the store runs, that it can be reached, and its permissions',
        },
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
    expect(await finds({ store: { ...parts.store, ...broken } })).toEqual({
      ok: false,
      findings: [
        {
          code: 'store_unfit',
          message: 'The store loses writes or overwrites entries.',
          fix: 'run storeContract of express-two-factor/testing against it',
        },
      ],
    })
  })

  it('hands on what the store finds, and says when it finds nothing out', async () => {
    const finding = { code: 'store_evicts', message: 'm', fix: 'f' }
    expect(await codes({ inspect: async () => [finding] })).toEqual(['store_evicts'])
    expect((await finds({ inspect: async () => fails() })).findings).toEqual([
      {
        code: 'store_not_inspected',
        message: 'down',
        fix: 'check that the store runs, that it can be reached, and its permissions',
      },
    ])
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
    expect(await finds({ now: () => at - 5_001 })).toEqual({
      ok: false,
      findings: [
        {
          code: 'clock_differs',
          message: 'The option `now` differs from the clock of this machine by 5001 ms.',
          fix: 'remove the option `now`, and run NTP',
        },
      ],
    })
  })

  it('hears every provider, and repeats nothing of what one throws', async () => {
    const guessed = { code: 'statuses_guessed', message: 'Guessed.', fix: 'calibrate' }
    const providers = [
      { inspect: async () => Promise.reject(new Error('GET https://api.example/?key=k-canary')) },
      { inspect: async () => [guessed] },
      {},
    ]
    const { findings } = await finds({ providers })
    expect(findings).toMatchObject([{ code: 'provider_not_inspected' }, guessed])
    expect(JSON.stringify(findings)).not.toContain('canary')
  })
})
