import type { RequestHandler, Router } from 'express'
import type { PhoneVerification } from '../flows/phone-verification.js'
import type { GuardOptions } from '../guard/guard-options.js'
import type { ChallengesFacade, GrantsFacade, TrustedDevicesFacade } from './facades.js'
import type { PhoneVerificationOptions, RoutesOptions, StartOptions } from './factory-options.js'
import type { Operator } from './operator.js'

/** Two-factor authentication for one app. */
export interface TwoFactor extends Operator {
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
  readonly trustedDevices: TrustedDevicesFacade
  /** The limits in force, as a Markdown table. */
  describeLimits(): string
  [Symbol.asyncDispose](): Promise<void>
}
