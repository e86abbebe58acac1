import type { RequestHandler, Router } from 'express'
import type { Authenticators } from '../flows/authenticators.js'
import type { PhoneVerification } from '../flows/phone-verification.js'
import type { GuardOptions } from '../guard/guard-options.js'
import type { ChallengesFacade } from './challenges-facade.js'
import type { GrantsFacade, RecoveryCodesFacade, TrustedDevicesFacade } from './facades.js'
import type { PhoneVerificationOptions, RoutesOptions, StartOptions } from './factory.js'
import type { Operator } from './operator.js'

/** Two-factor authentication for one app. */
export interface TwoFactor extends Operator {
  /** All routes, to be mounted at the option `path`. */
  routes(options?: RoutesOptions): Router
  /** Starts a challenge; `purpose` fixes what for, else the body names it. */
  start(options?: StartOptions): RequestHandler
  /** `POST /resend` as a single handler: another code for the live challenge. */
  resend(): RequestHandler
  /**
   * `POST /verify` as a single handler. Success renews the session and writes the grant.
   *
   * @example
   * app.post('/login/code', tf.verify())
   */
  verify(): RequestHandler
  /** `POST /cancel` as a single handler: ends the live challenge. */
  cancel(): RequestHandler
  /** `GET /` as a single handler: the live challenge or the code page. Never sends. */
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
  /** Challenges without a request: for GraphQL, websockets and jobs. */
  readonly challenges: ChallengesFacade
  /** What success leaves behind: read it, write one for a factor of your own, end it. */
  readonly grants: GrantsFacade
  /** Browsers that replace the code at sign-in: list them, end them. */
  readonly trustedDevices: TrustedDevicesFacade
  /** Codes for a person who has lost the phone; the option `recoveryCodes` takes them. */
  readonly recoveryCodes: RecoveryCodesFacade
  /** Puts an authenticator app on file; the option `authenticator` takes its codes. */
  readonly authenticators: Authenticators
  /** The limits in force, as a Markdown table. */
  describeLimits(): string
  /**
   * Resolves once the numbering plans and the HTTP client are loaded, which begins in the background when they are first
   * known to be needed. Awaited before `listen`, the first person waits for neither. Rejects when a package cannot be loaded.
   *
   * @example
   * await tf.ready()
   * app.listen(3000)
   */
  ready(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
