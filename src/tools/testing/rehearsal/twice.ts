import { mustAsk, stepUpsOf } from './approval.js'
import type { RehearsalAction } from './contract.js'
import { withNewKey } from './idempotency.js'
import { fieldsAgain, fieldsOf, requestWith } from './requests.js'
import { isCounted, timesIn } from './snapshot.js'
import type { Attack, Stage } from './stage.js'
import { fell, NotTried, refused, tryEach, unlessRefused } from './verdicts.js'
import type { Visit } from './visit.js'
import type { RehearsalRequest } from './wire.js'

const together = 10

/** Uses one code for many repetitions of an action. */
export const repeatedAction: Attack = {
  code: 'twice',
  claim: 'one code confirms one action',
  fix: 'add once: true to the guard; if it has that, make swap of your store atomic (storeContract tests it)',
  docs: 'docs/reference.md#the-guard',
  async run(stage, tries) {
    const actions = stepUpsOf(stage, ({ repeatable }) => repeatable !== true)
    tries(
      `${actions.map(({ name }) => name).join(', ')}: ${together} parallel requests and then one more, with one code`,
    )
    await tryEach(actions, (action) => repeat(stage, action))
    return 'done once'
  },
}

/** Sends many requests with one code, and then one with another code, which shows whether the state can count. */
async function repeat(stage: Stage, action: RehearsalAction): Promise<void> {
  const { effects } = stage
  const { effect } = await effects.knownOf(action)
  const visit = await stage.signedIn()
  effects.adopt(visit)
  const covered = await mustAsk(stage, visit, action)
  const changed = await effects.watch(action, visit.person)
  const fields = await fieldsAgain(action, visit, covered)
  let last = await burst(visit, () => withNewKey(action, visit.person, fields))
  let outcome = await changed()
  // An app may refuse unknown keys, and the code may cover the key.
  if (!outcome.isDone) {
    const request = requestWith(action, visit.person, await fieldsAgain(action, visit, covered))
    last = await burst(visit, () => request)
    outcome = await changed()
  }
  if (!outcome.isDone) throw refused(last, `"${action.name}" was not done at all`)
  const times = timesIn(outcome.change, effect)
  if (times > 1) fell(last, `"${action.name}" was done ${times} times`)

  // An app may do an equal action only once.
  for (const change of [{}, action.changed ?? {}]) {
    const others = { ...(await fieldsOf(action, visit)), ...change }
    const key = crypto.randomUUID()
    await effects.approve(visit, withNewKey(action, visit.person, others, key))
    const another = withNewKey(action, visit.person, await fieldsAgain(action, visit, others), key)
    const next = await unlessRefused(effects.attempt(action, visit, another))
    if (next !== undefined && isCounted(next.change, effect)) return
  }
  throw new NotTried(
    `the state does not count "${action.name}": name a list or a sum to which a second one adds as much as the first, or \`repeatable: true\` if a second one changes nothing more`,
  )
}

async function burst({ agent }: Visit, next: () => RehearsalRequest) {
  const send = () => agent.send(next())
  await Promise.all(Array.from({ length: together }, send))
  return send()
}
