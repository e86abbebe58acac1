import type { RequestHandler } from 'express'
import { type Check, checkOptions, mountPath, nonEmptyString, optionError, that } from '../../lib/options.js'
import { isPath } from '../http/return-path.js'
import type { Handlers } from '../http/routes.js'

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
  /**
   * Where its routes are mounted, as `path` of `twoFactor()`: the page with which `requireProof` refuses somebody leads
   * there. Default: it leads home.
   *
   * @example
   * const signup = tf.phoneVerification({ path: '/signup/phone', successPath: '/signup' })
   */
  readonly path?: string
}

const successPath: Check = that('must be a path of this site', isPath)
const purpose = nonEmptyString()

export function checkRoutesOptions(given: RoutesOptions): void {
  checkOptions('routes', given, { successPath })
}

/** Throws a TypeError for what is no option of `phoneVerification`. */
export function checkVerificationOptions(given: PhoneVerificationOptions): void {
  checkOptions('phoneVerification', given, { purpose, successPath, path: mountPath })
}

/** Throws a TypeError: with a misspelt purpose the browser would choose. */
export function checkPurposeOptions(where: string, given: StartOptions): void {
  checkOptions(where, given, { purpose, successPath })
}

/** Express calls a middleware with three arguments: a factory that gets them was passed uncalled. */
export function factory<Args extends readonly unknown[], Made>(
  name: string,
  make: (...args: Args) => Made,
): (...args: Args) => Made {
  return (...args) => {
    if (args.length > 1) {
      throw optionError(`pass ${name}(), not ${name}`)
    }
    return make(...args)
  }
}

/** The same for a factory without options: it would silently ignore them. */
export function plainFactory<Made>(name: string, make: () => Made): () => Made {
  return factory(name, (given?: unknown) => {
    if (given !== undefined) throw optionError(`${name}: takes no options`)
    return make()
  })
}

/** The handlers that need no options, each to be mounted by hand. */
export function singleHandlers({
  resend,
  verify,
  cancel,
  status,
}: Handlers): Readonly<Record<'resend' | 'verify' | 'cancel' | 'status', () => RequestHandler>> {
  return {
    resend: plainFactory('resend', () => resend),
    verify: plainFactory('verify', () => verify),
    cancel: plainFactory('cancel', () => cancel),
    status: plainFactory('status', () => status),
  }
}
