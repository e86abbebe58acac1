import type { Fields, RehearsalAction } from './contract.js'
import { stepsUp } from './effects.js'
import { fieldsOf, requestWith } from './requests.js'
import type { Stage } from './stage.js'
import { lacking, NotTried } from './verdicts.js'
import type { Visit } from './visit.js'

/** Returns the actions that require their own code. */
export function stepUpsOf(
  stage: Stage,
  which: (action: RehearsalAction) => boolean = () => true,
): readonly RehearsalAction[] {
  const { actions = [] } = stage.options
  if (actions.length === 0) throw lacking('actions')
  const found = actions.filter((action) => stepsUp(action) && which(action))
  if (found.length === 0) {
    throw new NotTried('each action has `stepUp: false` or `repeatable: true`', { lacks: 'actions' })
  }
  return found
}

/** Has a guard require a code for this action, and enters the code. Returns the fields that it covers. */
export async function mustAsk({ effects }: Stage, visit: Visit, action: RehearsalAction): Promise<Fields> {
  const fields = await fieldsOf(action, visit)
  if ((await effects.approve(visit, requestWith(action, visit.person, fields))) === undefined) {
    throw new NotTried(`"${action.name}" required no code`)
  }
  return fields
}
