import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { dayMs } from '../../lib/time.js'
import { cookiesIn } from './cookie-headers.js'
import { findField, type RequestContext } from './request-body.js'

const cookie = 'two-factor-passkey-offered'
const lifetimeMs = 365 * dayMs

/** Path of the page below the mount of the routes. */
export const offerPath = '/passkey'

/** Field of a code page. Its script sends it if the device can create a passkey. */
export const offerField = 'offersPasskey'

/** Creates the step between a sign-in and its return path that offers a passkey, once per browser. */
export function createPasskeyOffer() {
  let page: RequestHandler | undefined

  return {
    /** Responds with the page, once it is set. */
    handler: (req: Request, res: Response, next: NextFunction): unknown =>
      page === undefined ? next() : page(req, res, next),
    /** Sets the page. Until then nothing is offered. */
    set(given: RequestHandler): void {
      page = given
    },
    isSet: () => page !== undefined,
    /** Returns whether this browser can create a passkey and was not asked before. */
    isDue: ({ req, fields }: RequestContext): boolean =>
      page !== undefined &&
      findField(fields, offerField) === 'true' &&
      !cookiesIn(req).some(({ name }) => name === cookie),
    /** Returns the URL of the page, which leads on to `returnTo`. This browser is not asked again. */
    urlOf({ req, res }: RequestContext, basePath: string, returnTo: string): string {
      const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure: req.secure } as const
      res.cookie(cookie, '1', { ...attributes, maxAge: lifetimeMs })
      return `${basePath}${offerPath}?${new URLSearchParams({ returnTo })}`
    },
  }
}
