import type { RequestHandler, Router } from 'express'
import type { Numbers } from '../../challenge/numbers.js'
import type { SelfTest } from '../../challenge/self-test.js'
import type { PhoneVerification } from '../flows/phone-verification.js'
import type { GuardOptions } from '../guard/guard-options.js'
import type { ChallengesFacade, GrantsFacade, SubjectsFacade, TrustedDevicesFacade } from './facades.js'
import type { PhoneVerificationOptions, RoutesOptions, StartOptions } from './factory-options.js'

/** Two-factor authentication for one app. */
export interface TwoFactor {
  /** All routes, to be mounted at the option `path`. */
  routes(options?: RoutesOptions): Router
  /** Starts a challenge; `purpose` fixes what for, else the body names it. */
  start(options?: StartOptions): RequestHandler
  resend(): RequestHandler
  verify(): RequestHandler
  cancel(): RequestHandler
  status(): RequestHandler
  /**
   * Lets a request pass that has a fresh grant for this purpose, and sets `req.twoFactor`.
   *
   * @example
   * app.post('/transfers', express.json(), tf.requireTwoFactor({
   *   purpose: 'transfer',
   *   once: true,
   *   bind: (req) => ({ amount: req.body.amount, payee: req.body.payee }),
   * }), transfer)
   */
  requireTwoFactor(options?: GuardOptions): RequestHandler
  /** Routes by which a number is proven that is not on file yet. `purpose` defaults to `signup`. */
  phoneVerification(options?: PhoneVerificationOptions): PhoneVerification
  readonly challenges: ChallengesFacade
  readonly grants: GrantsFacade
  readonly numbers: Numbers
  /**
   * The wrong codes of one subject over all its numbers, and their end.
   *
   * @example
   * const { locked, lockedForMs } = await tf.subjects.state('ana')
   * if (locked) await tf.subjects.enable('ana')
   */
  readonly subjects: SubjectsFacade
  readonly trustedDevices: TrustedDevicesFacade
  /** The limits in force, as a Markdown table. */
  describeLimits(): string
  /**
   * Asks provider, store and clock whether codes can travel. Sends none.
   *
   * @example
   * const { ok, findings } = await tf.selfTest()
   * if (!ok) console.error(findings)
   */
  selfTest(): Promise<SelfTest>
  /** Closes the provider, and the store when it is the default one. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
