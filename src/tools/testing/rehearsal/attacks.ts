import { attacksOnActions } from './actions.js'
import { attacksByOtherSites } from './answers.js'
import { asMeant } from './as-meant.js'
import { bursts } from './bursts.js'
import { faults } from './faults.js'
import { judgements } from './leaks.js'
import { attacksOnSessions } from './sessions.js'
import { signUp } from './sign-up.js'
import type { Attack } from './stage.js'

/** In this order: what comes first shows the others what it looks like when something was done. */
export const attacks: readonly [Attack, ...Attack[]] = [
  ...asMeant,
  ...bursts,
  ...attacksOnActions,
  ...attacksOnSessions,
  signUp,
  ...attacksByOtherSites,
  faults,
  ...judgements,
]
