import type { SignupGuard } from '../../challenge/budgets/signup-guard.js'
import type { CodeProvider } from '../../challenge/code-provider.js'
import type { Numbers } from '../../challenge/numbers.js'
import type { Devices } from '../../challenge/proofs/devices.js'
import type { Grants } from '../../challenge/proofs/grants.js'
import { type SelfTest, selfTest } from '../../challenge/self-test.js'
import type { Subjects } from '../../challenge/subjects.js'
import type { Health } from '../../challenge/watch/health.js'
import type { Background } from '../../lib/background.js'
import { phoneCountries } from '../../lib/countries.js'
import { createSubjectsFacade, type SubjectsFacade } from './facades.js'

/** Sign-ups as the option `watch.signups` counts them. */
export interface SignupsFacade {
  /**
   * A number of this country (ISO 3166 code) was proven in another way than by a code of `phoneVerification()`,
   * which counts by itself. Rejects with a TypeError when it is not a country.
   *
   * @example
   * await tf.signups.approved('CO')
   */
  approved(country: string): Promise<void>
}

/** What `twoFactor` offers its operator. */
export interface Operator {
  /**
   * Locks and failures of a number on file, and their end.
   *
   * @example
   * await tf.numbers.enable('+573001234567')
   */
  readonly numbers: Numbers
  /**
   * The wrong codes of one subject over all its numbers, and their end.
   *
   * @example
   * const { locked, lockedForMs } = await tf.subjects.state('ana')
   * if (locked) await tf.subjects.enable('ana')
   */
  readonly subjects: SubjectsFacade
  /** Sign-ups that were completed without a code of this package, for the option `watch.signups`. */
  readonly signups: SignupsFacade
  /**
   * Asks provider, store and clock whether codes can travel, and names what options and requests have shown to
   * be wrong so far. Sends none.
   *
   * @example
   * const { ok, findings } = await tf.selfTest()
   * if (!ok) console.error(findings)
   */
  selfTest(): Promise<SelfTest>
  /**
   * What this process knows about provider, store, balance and spend: a plain object from memory, without secrets.
   * Asks nobody, so that it can be called as often as you like.
   *
   * @example
   * app.get('/internal/two-factor', (req, res) => res.json(tf.health()))
   */
  health(): Health
  /** Closes the provider, and the store when it is the default one. */
  close(): Promise<void>
}

/** The operator's side of `twoFactor`. */
export function createOperator(
  parts: {
    readonly numbers: Numbers
    readonly subjects: Subjects
    readonly signups: SignupGuard
    readonly grants: Grants
    readonly devices: Devices
    readonly provider: CodeProvider
    /** Whether nobody else closes the store. */
    readonly ownsStore: boolean
    readonly background: Background
    readonly health: () => Health
  } & Omit<Parameters<typeof selfTest>[0], 'balance'>,
): Operator {
  const { numbers, signups, provider, store, ownsStore, background } = parts
  return {
    numbers,
    subjects: createSubjectsFacade(parts),
    signups: {
      async approved(country) {
        if (!phoneCountries.has(country)) {
          throw new TypeError("signups.approved: country must be an upper-case ISO 3166-1 code, such as 'CO'")
        }
        await signups.approved(country)
      },
    },
    selfTest: () => selfTest({ ...parts, balance: async () => (await provider.balance?.()) ?? {} }),
    health: parts.health,
    async close() {
      background.close()
      await Promise.all([provider.close?.(), ownsStore && store.close?.()])
    },
  }
}
