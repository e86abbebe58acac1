import type { Request } from 'express'
import type { TwoFactor } from '../index.js'
import { countFactors, type Factors } from './changes.js'

/**
 * Creates the warning about pages without a guard. Each change still requires its code, but a person who has given only
 * the password sees the factors and browsers of the account.
 */
export function createGuardWarning(
  { grants }: Pick<TwoFactor, 'grants'>,
  path: string,
): (req: Request, factors: Factors) => Promise<void> {
  let isWarned = false
  return async (req, factors) => {
    if (isWarned || req.twoFactor !== undefined || countFactors(factors) === 0) return
    // The app may have checked the grant itself.
    if ((await grants.read(req, 'login')) !== undefined) return
    isWarned = true
    process.emitWarning(
      `accountPages: the pages were shown to a user who has not confirmed a second factor. Mount the guard before them: app.use('${path}', tf.requireTwoFactor(), accountPages(tf, { … }))`,
      { type: 'TwoFactorWarning', code: 'TWO_FACTOR_ACCOUNT_UNGUARDED' },
    )
  }
}
