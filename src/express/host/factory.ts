import type { RequestHandler } from 'express'
import { type Checks, checkOptions, mountPath, nonEmptyString, optionError, that } from '../../lib/options.js'
import { isPath } from '../http/origin.js'
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

const successPath = that('must be a path of this site', isPath)
const purpose = nonEmptyString()

export const routesChecks: Checks<RoutesOptions> = { successPath }
/** With a misspelt purpose the browser would choose. */
export const startChecks: Checks<StartOptions> = { purpose, successPath }
export const verificationChecks: Checks<PhoneVerificationOptions> = { purpose, successPath, path: mountPath }

/** What the app calls to be given a router or a handler. Throws a TypeError for what is no option of it. */
export function factory<Options extends object, Made>(
  name: string,
  checks: Checks<Options>,
  make: (options: Options) => Made,
): (options?: Options) => Made {
  return (...args: readonly [Options?]) => {
    refuseUncalled(name, args)
    const [given = {} as Options] = args
    return make(checkOptions(name, given, checks))
  }
}

/** The same without options: it would silently ignore them. */
export function plainFactory<Made>(name: string, make: () => Made): () => Made {
  return (...args: readonly unknown[]) => {
    refuseUncalled(name, args)
    if (args[0] !== undefined) throw optionError(`${name}: takes no options`)
    return make()
  }
}

/** Express calls a middleware with three arguments: a factory that gets them was passed uncalled. */
function refuseUncalled(name: string, args: readonly unknown[]): void {
  if (args.length > 1) throw optionError(`pass ${name}(), not ${name}`)
}

/** The handlers that need no options, each to be mounted by hand. */
export function singleHandlers(
  handlers: Handlers,
): Readonly<Record<'resend' | 'verify' | 'cancel' | 'status', () => RequestHandler>> {
  return {
    resend: plainFactory('resend', () => handlers.resend),
    verify: plainFactory('verify', () => handlers.verify),
    cancel: plainFactory('cancel', () => handlers.cancel),
    status: plainFactory('status', () => handlers.status),
  }
}
