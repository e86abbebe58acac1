import { attacksOnAccounts } from './account.js'
import { attacksOnActions } from './actions.js'
import { attacksByOtherSites } from './answers.js'
import { asMeant } from './as-meant.js'
import { bursts } from './bursts.js'
import { faults } from './faults.js'
import { judgements } from './leaks.js'
import { attacksOnSessions } from './sessions.js'
import { attacksOnSignUps } from './sign-up.js'
import type { Attack } from './stage.js'

/**
 * In this order: what comes first shows the others what is meant, and bursts, which may wake a limiter, sign in last.
 * The provider is in trouble beside all of them.
 */
export const attacks: readonly [Attack, ...Attack[]] = [
  ...asMeant,
  ...attacksOnActions,
  ...attacksOnSessions,
  ...attacksOnSignUps,
  ...attacksOnAccounts,
  ...attacksByOtherSites,
  ...bursts,
  faults,
  ...judgements,
]
