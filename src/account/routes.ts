import { Router } from 'express'
import type { TwoFactor } from '../index.js'
import { refuseOtherMount } from '../lib/mount.js'
import { checkOptions, optionError } from '../lib/options.js'
import { addAppRoutes } from './app.js'
import { addDeviceRoutes } from './devices.js'
import { addNumberRoutes } from './numbers.js'
import { type AccountPagesOptions, accountChecks, accountRequired } from './options.js'
import { addPasskeyRoutes } from './passkeys.js'
import { addRecoveryCodeRoutes } from './recovery-codes.js'
import { createRouteKit } from './route-kit.js'

/**
 * Creates pages, also as JSON, on which a person adds, orders and removes factors. Every change shows itself and
 * requires a fresh code that is valid only for this change. A person without any factor sets up the first factor with
 * the session. After a change every other session must enter a code again. Requires `tf.routes()`, and a name for the
 * purpose `new-number` in the option `appName`.
 *
 * @throws {TypeError} with `code: 'ERR_TWO_FACTOR_OPTION'`, naming the option and the fix
 * @example
 * app.use('/account/security', tf.requireTwoFactor(), accountPages(tf, {
 *   path: '/account/security',
 *   numbers: { list: (subject) => users.numbersOf(subject), save: (subject, numbers, from) => users.save(subject, numbers, from) },
 *   onChanged: (req, { kind }) => mail.send(req.user.email, `Changed in your account: ${kind}`),
 * }))
 */
export function accountPages(tf: TwoFactor, options: AccountPagesOptions): Router {
  if (typeof tf?.ownRoute !== 'function') {
    throw optionError('accountPages: const tf = twoFactor({ … }); accountPages(tf, { path, numbers })')
  }
  const settings = checkOptions('accountPages', options, accountChecks, accountRequired)
  checkSameWays(tf, settings)
  const { authenticator, passkeys, recoveryCodes } = settings
  const router = Router()
  const refuseElsewhere = refuseOtherMount(settings.path)
  router.use((req, _res, next) => {
    refuseElsewhere(req)
    next()
  })
  const kit = ofTheseOptions(() => createRouteKit(router, tf, settings))
  kit.get('/', kit.overview)
  // A refusal uses this address, and WebKit posts its form again after a reload.
  router.post('/', tf.ownRoute('GET', kit.overview))
  ofTheseOptions(() => addNumberRoutes(kit))
  if (authenticator !== undefined) addAppRoutes(kit, authenticator)
  if (passkeys !== undefined) addPasskeyRoutes(kit, passkeys)
  if (recoveryCodes !== undefined) addRecoveryCodeRoutes(kit, recoveryCodes)
  addDeviceRoutes(kit)
  return router
}

/** Names these options in an error of the guard or of the phone verification, which the app does not call. */
function ofTheseOptions<Made>(make: () => Made): Made {
  try {
    return make()
  } catch (error) {
    const { message } = error as Error
    const renamed = message.replace(/^(?:requireTwoFactor|phoneVerification): /, 'accountPages: ')
    throw renamed === message ? error : optionError(renamed)
  }
}

/**
 * Checks that the pages and `twoFactor()` have equal factors. A factor missing here would not count, so an account with
 * nothing else would need no code. A factor missing in `twoFactor()` could be set up but would admit no person.
 */
function checkSameWays(tf: TwoFactor, options: AccountPagesOptions): void {
  if (options.passkeys !== tf.passkeys) {
    throw optionError(
      'accountPages: passkeys must be the value of the option passkeys of twoFactor(), or a user who has nothing else appears to have no second factor',
    )
  }
  const taken = { authenticator: tf.authenticators.isOffered, recoveryCodes: tf.recoveryCodes.isOffered }
  for (const name of ['authenticator', 'recoveryCodes'] as const) {
    if ((options[name] !== undefined) === taken[name]) continue
    throw optionError(
      taken[name]
        ? `accountPages: ${name} is missing, but twoFactor() has the option ${name}; add it, or a user who has nothing else appears to have no second factor`
        : `accountPages: ${name} needs the option ${name} of twoFactor()`,
    )
  }
}
