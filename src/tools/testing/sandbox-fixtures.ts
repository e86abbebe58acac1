import { checkOptions, func, record } from '../../lib/options.js'
import type { Sandbox, SandboxOptions, WaitOptions } from '../sandbox/index.js'

/** Options of `sandboxFixtures`. */
export interface SandboxFixtureOptions {
  /** Options of `startSandbox`. */
  readonly sandbox?: SandboxOptions
  /** Returns the number of the n-th test, in E.164. Default: Colombian mobile numbers. */
  readonly phone?: (index: number) => string
}

type Use<Value> = (value: Value) => Promise<void>

/** Returns the next code for a number (default: the test's number) that was not returned before. */
export type CodeFor = (phone?: string, options?: WaitOptions) => Promise<string>

/** Fixtures of each test: the first type argument of Playwright's `test.extend`. */
export interface SandboxTestFixtures {
  /** A number that no other test of this worker uses. */
  readonly phone: string
  /** The next code for a number, that of the test by default. */
  readonly codeFor: CodeFor
}

/** Fixtures that the tests of a worker share: the second type argument of Playwright's `test.extend`. */
export interface SandboxWorkerFixtures {
  /** Starts with the first test that uses it, and closes with its worker. */
  readonly sandbox: Sandbox
}

/** All fixtures of a test: the type argument of Vitest's `test.extend`. */
export type SandboxContext = SandboxTestFixtures & SandboxWorkerFixtures

/** Fixtures in the form that Vitest and Playwright share. */
export interface SandboxFixtures {
  /** One sandbox per worker, closed with it. */
  readonly sandbox: [(fixtures: object, use: Use<Sandbox>) => Promise<void>, { scope: 'worker' }]
  /** A number that no other test of this worker uses. */
  readonly phone: (fixtures: object, use: Use<string>) => Promise<void>
  /** The next code for a number, that of the test by default. */
  readonly codeFor: (fixtures: Pick<SandboxContext, 'sandbox' | 'phone'>, use: Use<CodeFor>) => Promise<void>
}

/**
 * Creates fixtures for `test.extend` of Vitest and Playwright: one sandbox per worker, and a different number for each
 * test, so that parallel tests never read each other's codes. Needs Express.
 *
 * @example
 * // Vitest
 * const test = base.extend<SandboxContext>(sandboxFixtures())
 * // Playwright
 * const test = base.extend<SandboxTestFixtures, SandboxWorkerFixtures>(sandboxFixtures())
 *
 * test('signs in', async ({ sandbox, phone, codeFor }) => {
 *   await signIn({ baseUrl: sandbox.baseUrl, phone })
 *   await typeCode(await codeFor())
 * })
 */
export function sandboxFixtures(options: SandboxFixtureOptions = {}): SandboxFixtures {
  checkOptions('sandboxFixtures', options, {
    sandbox: record(() => {}, 'must be an object: the options of startSandbox'),
    phone: func('(index) => string'),
  })
  // None of these numbers has the ending of a fixed number.
  const { phone: numberOf = (index) => `+573001${String(index % 999_000).padStart(6, '0')}` } = options
  let tests = 0

  // Both runners read the required fixtures from the first parameter, which must be a pattern, even an empty one.
  return {
    sandbox: [
      // biome-ignore lint/correctness/noEmptyPattern: it needs no other fixture, which the runners read from the pattern
      async ({}, use) => {
        // Loaded here, so that the entry works without Express.
        const { startSandbox } = await import('../sandbox/index.js')
        const sandbox = await startSandbox(options.sandbox)
        await use(sandbox)
        await sandbox.close()
      },
      { scope: 'worker' },
    ],
    // biome-ignore lint/correctness/noEmptyPattern: it needs no other fixture, either
    phone: async ({}, use) => {
      tests += 1
      await use(numberOf(tests))
    },
    codeFor: async ({ sandbox, phone }, use) => {
      const returned = new Map<string, string>()
      await use(async (number = phone, waitOptions = {}) => {
        const after = returned.get(number) ?? waitOptions.after
        const message = await sandbox.inbox.waitFor(number, { ...waitOptions, after })
        returned.set(number, message.id)
        return message.code
      })
    },
  }
}
