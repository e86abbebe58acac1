import type { RequestHandler } from 'express'

/** How the account pages of an app of `twoFactor()` set the page that offers a passkey after a sign-in. */
export const passkeyOfferOf = new WeakMap<object, (page: RequestHandler) => void>()
