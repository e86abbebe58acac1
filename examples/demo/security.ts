import { Router } from 'express'
import type { TwoFactor } from 'express-two-factor'
import { accountPages } from 'express-two-factor/account'
import type { Account, Accounts } from './accounts.js'

/** Numbers, app, recovery codes and trusted browsers of an account. */
export function securityRoutes(tf: TwoFactor, accounts: Accounts): Router {
  const of = (subject: string) => accounts.find(subject) as Account
  const pages = accountPages(tf, {
    path: '/security',
    numbers: {
      list: (subject) => of(subject).numbers,
      save(subject, numbers, from) {
        if (String(of(subject).numbers) !== String(from)) return false
        of(subject).numbers = numbers
        return true
      },
    },
    authenticator: {
      has: (subject) => of(subject).app !== undefined,
      save(subject, secret) {
        of(subject).app = secret
      },
      remove(subject) {
        of(subject).app = undefined
      },
    },
    recoveryCodes: {
      remaining: (subject) => of(subject).recoveryHashes.size,
      save(subject, hashes) {
        of(subject).recoveryHashes = new Set(hashes)
      },
    },
    lastUsed: (subject) => of(subject).usedAt,
  })
  const router = Router()
  router.use('/security', tf.requireTwoFactor(), pages)
  return router
}
