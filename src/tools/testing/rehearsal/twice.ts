import { randomUUID } from 'node:crypto'
import { mustAsk, stepUpsOf } from './approval.js'
import type { RehearsalAction } from './contract.js'
import { withKey } from './idempotency.js'
import { requestOf } from './requests.js'
import { hasEffect, timesIn } from './snapshot.js'
import type { Attack, Stage } from './stage.js'
import { fell, isLimited, NotTried, refusalOf, refused } from './verdicts.js'
import type { Visit } from './visit.js'
import type { RehearsalRequest } from './wire.js'

const together = 10

/** Uses one code for many repetitions of an action. */
export const repeatedAction: Attack = {
  code: 'twice',
  claim: 'one code confirms one action',
  fix: 'add once: true to the guard',
  docs: 'docs/reference.md#the-guard',
  async run(stage, tries) {
    const actions = stepUpsOf(stage, ({ repeatable }) => repeatable !== true)
    tries(
      `${actions.map(({ name }) => name).join(', ')}: ${together} parallel requests and then one more, with one code`,
    )
    for (const action of actions) await repeat(stage, action)
    return 'done once'
  },
}

/** Sends many requests with one code, and then one with another code, which shows whether the state can count. */
async function repeat(stage: Stage, action: RehearsalAction): Promise<void> {
  const { effects } = stage
  const { effect } = await effects.knownOf(action)
  const visit = await stage.signedIn()
  effects.adopt(visit)
  await mustAsk(stage, visit, await requestOf(action, visit), action)
  const changed = await effects.watch(action, visit.person)
  let last = await burst(visit, await requestOf(action, visit), randomUUID)
  let change = await changed()
  // An app may refuse unknown keys.
  if (!hasEffect(change, effect)) {
    last = await burst(visit, await requestOf(action, visit))
    change = await changed()
  }
  if (!hasEffect(change, effect)) throw refused(last, `"${action.name}" was not done at all`)
  const times = timesIn(change, effect)
  if (times !== undefined && times > 1) fell(last, `"${action.name}" was done ${times} times`)

  await effects.approve(visit, withKey(await requestOf(action, visit), randomUUID()))
  const again = withKey(await requestOf(action, visit), randomUUID())
  const outcome = await effects.attempt(action, visit, again).catch((error) => {
    const refusal = refusalOf(error)
    if (refusal === undefined || isLimited(refusal)) throw error
  })
  // The action is possible only once, or the state shows only the newest action.
  if (times === undefined || outcome === undefined || timesIn(outcome.change, effect) !== 1) {
    throw new NotTried(
      `the state does not count "${action.name}": the second action does not change it like the first`,
      {
        lacks: 'a state that counts',
      },
    )
  }
}

async function burst({ agent }: Visit, request: RehearsalRequest, newKey?: () => string) {
  const send = () => agent.send(newKey === undefined ? request : withKey(request, newKey()))
  await Promise.all(Array.from({ length: together }, send))
  return send()
}
