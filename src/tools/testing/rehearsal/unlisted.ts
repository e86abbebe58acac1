import { codeOf } from './diagnosis.js'
import { asksForProof } from './pages.js'
import { targetsOf } from './requesters.js'
import { requestFor } from './routes.js'
import type { Attack, Stage } from './stage.js'
import { mustBeJudged, NotTried } from './verdicts.js'
import type { Visit } from './visit.js'
import type { RehearsalRequest, RehearsalResponse } from './wire.js'

/** Attacks routes that the plan does not name: another path to one of its actions, or a route open to all visitors. */
export const unlistedRoutes: Attack = {
  code: 'unguarded',
  claim: 'no other route does an action, and each has a guard, refuses by its own rule, or is in the plan',
  fix: 'put the guard of the action before this route, too, or remove the route',
  docs: 'docs/rehearsal.md#routes',
  async run(stage, tries) {
    const { routes } = stage
    if (routes === undefined) {
      throw new NotTried('the app runs in another process', { lacks: 'an Express app in this process' })
    }
    const ofKind = (wanted: string) =>
      routes.list().flatMap(({ route, kind }) => (kind === wanted ? [route] : []))
    const toRequests = (names: readonly string[]) => names.flatMap((name) => requestFor(name) ?? [])
    const unknown = toRequests(ofKind('unknown'))
    // Their guard may require only a sign-in.
    const requests = [...unknown, ...toRequests(ofKind('guarded'))]
    tries(`the fields of the actions to ${requests.length} routes that the plan does not name`)
    if (requests.length > 0) await sendFields(stage, requests)
    if (unknown.length > 0) await askEach(stage, unknown)
    const left = ofKind('unknown')
    if (left.length > 0)
      throw new NotTried(`guard ${left.join(', ')}, or name it in \`actions\` or \`ignore\``)
    return 'none did an action'
  },
}

/** Sends the fields of every action, as each requester without permission. */
async function sendFields(stage: Stage, requests: readonly RehearsalRequest[]): Promise<void> {
  for (const target of targetsOf(stage).filter(({ kind }) => kind === 'actions')) {
    // An action that could not be done has its own row.
    for (const { tryAll } of await target.attempts().catch(() => [])) {
      await tryAll(({ fields }) => requests.map((request) => ({ ...request, body: fields })))
    }
  }
}

/** Requests each route without an account and with only a password: an app may refuse without the package. */
async function askEach(stage: Stage, requests: readonly RehearsalRequest[]): Promise<void> {
  const password = await stage.passwordGiven()
  for (const request of requests) {
    const refusals: boolean[] = []
    for (const visit of [{ ...password, agent: stage.agent() }, password]) {
      const response = mustBeJudged(await visit.agent.send({ ...request, body: {} }))
      stage.routes?.hear(response)
      refusals.push(await isRefused(visit, response))
    }
    if (refusals.every(Boolean)) stage.routes?.answered(request)
  }
}

/** Returns whether the app refused without the package, or led to its sign-in. */
async function isRefused({ agent }: Visit, response: RehearsalResponse): Promise<boolean> {
  if ([401, 403].includes(response.status) || codeOf(response) !== undefined) return true
  if (response.status < 300 || response.status >= 400) return false
  const end = await agent.follow(response)
  return end.status >= 400 || asksForProof(end)
}
