import { Router } from 'express'
import type { TwoFactor } from '../index.js'
import { checkOptions, optionError } from '../lib/options.js'
import { addAppRoutes } from './app.js'
import { addDeviceRoutes } from './devices.js'
import { addNumberRoutes } from './numbers.js'
import { type AccountPagesOptions, accountChecks, accountRequired } from './options.js'
import { addRecoveryCodeRoutes } from './recovery-codes.js'
import { createRouteKit } from './route-kit.js'

/**
 * Pages on which a person adds, orders and removes what they confirm with, and the same as JSON. Every change asks for a
 * fresh code that is good for this change alone and shows it; whoever has nothing on file yet sets up the first way with
 * the session alone. After a change every other session is asked for a code again. Needs `tf.routes()`, and a name for
 * the purpose `new-number` in the option `appName`.
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
  const { authenticator, recoveryCodes } = settings
  const router = Router()
  const kit = createRouteKit(router, tf, settings)
  kit.get('/', kit.overview)
  // A form that WebKit posts again by a reload: a refusal takes this address.
  router.post('/', tf.ownRoute('GET', kit.overview))
  addNumberRoutes(kit)
  if (authenticator !== undefined) addAppRoutes(kit, authenticator)
  if (recoveryCodes !== undefined) addRecoveryCodeRoutes(kit, recoveryCodes)
  addDeviceRoutes(kit)
  return router
}

/**
 * The pages and `twoFactor()` know the same ways. One that the pages did not know would not count, and whoever has nothing
 * else would be asked for no code; one that `twoFactor()` did not know would be set up and let nobody in.
 */
function checkSameWays(tf: TwoFactor, options: AccountPagesOptions): void {
  const taken = { authenticator: tf.authenticators.isOffered, recoveryCodes: tf.recoveryCodes.isOffered }
  for (const name of ['authenticator', 'recoveryCodes'] as const) {
    if ((options[name] !== undefined) === taken[name]) continue
    throw optionError(
      taken[name]
        ? `accountPages: ${name} is missing, and twoFactor() has the option ${name}: an account with nothing else would count as one without a second factor`
        : `accountPages: ${name} needs the option ${name} of twoFactor()`,
    )
  }
}
