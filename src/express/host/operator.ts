import type { Domain } from '../../challenge/domain.js'
import type { CodeProvider } from '../../challenge/exchange/code-provider.js'
import type { Health } from '../../challenge/operator/health.js'
import type { SubjectState } from '../../challenge/operator/lockouts.js'
import { type Finding, type SelfTest, selfTest } from '../../challenge/operator/self-test.js'
import type { Background } from '../../lib/promises.js'
import { maskPhoneNumber, phoneCountries } from '../../phone-number.js'
import { localesOf } from '../pages/language.js'
import type { PageSettings } from '../pages/pages.js'
import { type SubjectName, subjectText } from './requester.js'

/** The operator's side of an account. */
export interface SubjectsFacade {
  /** What locks an account, over all its numbers and its app, and for how long. */
  state(subject: SubjectName): Promise<SubjectState>
  /**
   * Lifts what locks or disables an account, and forgets its guesses, sends and tries of recovery codes. Those of its
   * numbers over all accounts, too.
   */
  unlock(subject: SubjectName): Promise<void>
  /**
   * Ends grants in all sessions, this one too, known and trusted browsers, codes on their way and proven numbers. After a
   * new password or number, and for a stolen account.
   *
   * @example
   * await tf.subjects.revokeEverything(user.id)
   */
  revokeEverything(subject: SubjectName): Promise<void>
  /**
   * Emits `factor.changed` for a number or an app that you took off file. What is put on file is reported by itself.
   *
   * @example
   * tf.subjects.factorRemoved(user.id, { kind: 'phone', phone: '+573001234567' })
   */
  factorRemoved(
    subject: SubjectName,
    factor: { readonly kind: 'phone'; readonly phone: string } | { readonly kind: 'app' },
  ): void
}

/** Sign-ups as the option `signupGuard` counts them. */
export interface SignupsFacade {
  /**
   * Counts a number for `signupGuard` that was proven in another way than by `phoneVerification()`.
   *
   * Rejects with a TypeError when it is no ISO 3166 code.
   *
   * @example
   * await tf.signups.approved('CO')
   */
  approved(country: string): Promise<void>
}

/** What `twoFactor` offers its operator. */
export interface Operator {
  /**
   * What locks an account, and its end.
   *
   * @example
   * const { locked, lockedForMs } = await tf.subjects.state('ana')
   * if (locked) await tf.subjects.unlock('ana')
   */
  readonly subjects: SubjectsFacade
  /** Sign-ups that were completed without a code of this package, for the option `signupGuard`. */
  readonly signups: SignupsFacade
  /**
   * Checks provider, store, clock and options, and lists what is wrong. Sends no code.
   *
   * @example
   * const { ok, findings } = await tf.selfTest()
   * if (!ok) console.error(findings)
   */
  selfTest(): Promise<SelfTest>
  /**
   * What this process has seen of provider, store and limits. From memory and without secrets: it asks nobody.
   *
   * @example
   * app.get('/internal/two-factor', (req, res) => res.json(tf.health()))
   */
  health(): Health
  /**
   * Closes the provider once its exchanges have ended, and the default store. It does not
   * wait for responses under way: call it when the server has closed, because a code that is asked for or checked
   * afterwards is refused with `provider_unavailable`.
   *
   * @example
   * process.once('SIGTERM', () => server.close(() => void tf.close()))
   */
  close(): Promise<void>
}

/** The operator's side of `twoFactor`. */
export function createOperator(
  domain: Domain,
  settings: PageSettings & { readonly provider: CodeProvider; readonly store?: Domain['store'] },
  parts: {
    readonly background: Background
    readonly health: () => Health
    /** What the options, and the requests seen so far, have shown. */
    readonly findings: () => readonly Finding[]
  },
): Operator {
  const { subjects, signups, store, emit } = domain
  const { provider, store: hostStore, appName: appNames, pages } = settings
  return {
    subjects: {
      state: async (subject) => subjects.state(subjectText(subject)),
      unlock: async (subject) => subjects.unlock(subjectText(subject)),
      revokeEverything: async (subject) => subjects.revokeEverything(subjectText(subject)),
      factorRemoved(name, factor) {
        const before = factor.kind === 'phone' ? { before: maskPhoneNumber(factor.phone) } : {}
        const subject = subjectText(name)
        emit({ type: 'factor.changed', kind: factor.kind, subject, ...before, removed: true })
      },
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
      // That of the host is closed by the host.
      await Promise.all([provider.close?.(), hostStore === undefined && store.close?.()])
    },
  }
}
