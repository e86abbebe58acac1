import { type Check, checkOptions, nonEmptyString, that } from '../../lib/options.js'
import { isPath } from '../http/return-path.js'

/** Options of `routes`. */
export interface RoutesOptions {
  /**
   * Where success leads when the request names no `returnTo`: a path of this site, for every purpose without one of
   * its own. Default `/`.
   *
   * @example
   * app.use('/two-factor', tf.routes({ successPath: '/account' }))
   */
  readonly successPath?: string
}

/** Options of `start`. */
export interface StartOptions {
  /** What for; else the body names it. */
  readonly purpose?: string
  /**
   * Where success leads, at whichever route the code is verified: for this `purpose`, or without one as in
   * `routes`.
   *
   * @example
   * tf.start({ purpose: 'login', successPath: '/account' })
   */
  readonly successPath?: string
}

/** Options of `phoneVerification`. */
export interface PhoneVerificationOptions {
  /** Default `signup`. */
  readonly purpose?: string
  /** Where success leads when the request names no `returnTo`: a path of this site. Default `/`. */
  readonly successPath?: string
}

const successPath: Check = that('must be a path of this site', isPath)
const purpose = nonEmptyString()

export function checkRoutesOptions(given: RoutesOptions): void {
  checkOptions('routes', given, { successPath })
}

/** Throws a TypeError: with a misspelt purpose the browser would choose. */
export function checkPurposeOptions(where: string, given: StartOptions | PhoneVerificationOptions): void {
  checkOptions(where, given, { purpose, successPath })
}
