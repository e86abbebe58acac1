import { attacksOnAccounts } from './account.js'
import { attacksByOtherSites } from './answers.js'
import { asMeant } from './as-meant.js'
import { attacksOnStores } from './bursts.js'
import { changedFields } from './changed.js'
import { faults } from './faults.js'
import { judgements } from './leaks.js'
import { actionOfAnother } from './of-another.js'
import { attacksOnSessions } from './sessions.js'
import { attacksOnSignUps } from './sign-up.js'
import type { Attack } from './stage.js'
import { repeatedAction } from './twice.js'
import { unlistedRoutes } from './unlisted.js'
import { attacksWithoutCode } from './without-code.js'

/** Bursts sign in last, because they may trip a limiter. The faults of the provider run in parallel with all rows. */
export const attacks: readonly [Attack, ...Attack[]] = [
  ...asMeant,
  ...attacksWithoutCode,
  changedFields,
  repeatedAction,
  actionOfAnother,
  ...attacksOnSessions,
  ...attacksOnSignUps,
  ...attacksOnAccounts,
  ...attacksByOtherSites,
  unlistedRoutes,
  ...attacksOnStores,
  faults,
  ...judgements,
]
