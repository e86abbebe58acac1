import type { Domain } from '../../challenge/domain.js'
import type { CodeProvider } from '../../challenge/exchange/code-provider.js'
import type { Health } from '../../challenge/operator/health.js'
import type { OfNumber, SubjectState } from '../../challenge/operator/lockouts.js'
import { type Finding, type SelfTest, selfTest } from '../../challenge/operator/self-test.js'
import type { Background } from '../../lib/promises.js'
import { maskPhoneNumber, phoneCountries } from '../../phone-number.js'
import { localesOf } from '../pages/language.js'
import type { PageSettings } from '../pages/pages.js'
import { type SubjectName, subjectText } from './requester.js'

/** Shows and changes the state of an account for an operator. */
export interface SubjectsFacade {
  /**
   * Returns an account's locks and their durations, across all its numbers and its authenticator; with `{ phone }` as
   * `of`, also the counters of that number.
   *
   * The counters cover all accounts. They are also available for an account whose start was refused.
   *
   * @example
   * const { number } = await tf.subjects.state('ana', { phone: '+573001234567' })
   */
  state(subject: SubjectName, of?: OfNumber): Promise<SubjectState>
  /**
   * Ends an account's lock or disabling, and resets its counters, including recovery attempts; with `{ phone }` as `of`,
   * also those of that number.
   *
   * It always resets the counters over all accounts of each number that received a code of this account in the last
   * day. Pass `{ phone }` if the number is at its limit although no code was sent.
   */
  unlock(subject: SubjectName, of?: OfNumber): Promise<void>
  /**
   * Revokes grants in all sessions (including this one), known and trusted browsers, pending codes and verified
   * numbers. Use it after a new password or number, and for a stolen account.
   *
   * @example
   * await tf.subjects.revokeEverything(user.id)
   */
  revokeEverything(subject: SubjectName): Promise<void>
  /**
   * Emits `factor.changed` for a factor that your app removed. Additions are reported automatically, except for passkeys.
   *
   * @example
   * tf.subjects.factorRemoved(user.id, { kind: 'phone', phone: '+573001234567' })
   */
  factorRemoved(
    subject: SubjectName,
    factor: { readonly kind: 'phone'; readonly phone: string } | { readonly kind: 'app' | 'passkey' },
  ): void
  /**
   * Emits `factor.changed` for a passkey that your own pages added.
   *
   * @example
   * tf.subjects.factorAdded(user.id, { kind: 'passkey' })
   */
  factorAdded(subject: SubjectName, factor: { readonly kind: 'passkey' }): void
}

/** Adds to the counts of the option `signupGuard`. */
export interface SignupsFacade {
  /**
   * Counts a number that your app verified without `phoneVerification()`, for `signupGuard`.
   *
   * Rejects with a TypeError if the country is no ISO 3166 code.
   *
   * @example
   * await tf.signups.approved('CO')
   */
  approved(country: string): Promise<void>
}

/** Members of `twoFactor()` for operators. */
export interface Operator {
  /**
   * Shows and lifts the locks of an account.
   *
   * @example
   * const { locked, lockedForMs } = await tf.subjects.state('ana')
   * if (locked) await tf.subjects.unlock('ana')
   */
  readonly subjects: SubjectsFacade
  /** Counts sign-ups that were completed without a code of this package, for the option `signupGuard`. */
  readonly signups: SignupsFacade
  /**
   * Checks provider, store, clock and options, and lists the problems. Sends no code.
   *
   * @example
   * const { ok, findings } = await tf.selfTest()
   * if (!ok) console.error(findings)
   */
  selfTest(): Promise<SelfTest>
  /**
   * Returns this process's observations of provider, store and limits. It reads memory only and contains no
   * secret.
   *
   * @example
   * app.get('/internal/two-factor', (req, res) => res.json(tf.health()))
   */
  health(): Health
  /**
   * Closes the provider after its requests have ended, and the default store. It does not wait for responses in
   * progress. Call it after the server has closed, because a later start or check gets `provider_unavailable`.
   *
   * @example
   * process.once('SIGTERM', () => server.close(() => void tf.close()))
   */
  close(): Promise<void>
}

/** Creates the operator's members of `twoFactor()`. */
export function createOperator(
  domain: Domain,
  settings: PageSettings & { readonly provider: CodeProvider; readonly store?: Domain['store'] },
  parts: {
    readonly background: Background
    readonly health: () => Health
    /** Returns the findings about the options and the requests so far. */
    readonly findings: () => readonly Finding[]
  },
): Operator {
  const { subjects, signups, store, emit } = domain
  const { provider, store: hostStore, appName: appNames, pages } = settings
  return {
    subjects: {
      state: async (subject, of) => subjects.state(subjectText(subject), of),
      async unlock(subject, of) {
        await subjects.unlock(subjectText(subject), of)
      },
      revokeEverything: async (subject) => subjects.revokeEverything(subjectText(subject)),
      factorRemoved(name, factor) {
        const before = factor.kind === 'phone' ? { before: maskPhoneNumber(factor.phone) } : {}
        const subject = subjectText(name)
        emit({ type: 'factor.changed', kind: factor.kind, subject, ...before, removed: true })
      },
      factorAdded: (subject, { kind }) =>
        emit({ type: 'factor.changed', kind, subject: subjectText(subject) }),
    },
    signups: {
      async approved(country) {
        if (!phoneCountries.has(country)) {
          throw new TypeError("signups.approved: country must be an upper-case ISO 3166-1 code, such as 'CO'")
        }
        await signups.approved(country)
      },
    },
    selfTest: () =>
      selfTest(domain, provider, { appNames, locales: localesOf(pages.messages) }, parts.findings),
    health: parts.health,
    async close() {
      parts.background.close()
      // The app closes its own store.
      await Promise.all([provider.close?.(), hostStore === undefined && store.close?.()])
    },
  }
}
