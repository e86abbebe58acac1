import type { Awaitable } from '../../../lib/promises.js'
import type { Agent } from './agent.js'
import type { Fields, RehearsalAction } from './contract.js'
import { type Done, doneBy, isUnlike, looksDone, seemsDone } from './done.js'
import { formOf } from './hostile.js'
import { requirementIn, tellsFailure } from './shape.js'
import { Fell, fell, isLimited, lacking, NotTried, refusalOf, refused, told } from './verdicts.js'
import type { Challenged, Visit } from './visit.js'
import type { RehearsalRequest, RehearsalResponse } from './wire.js'

/** Whether a fresh code is asked for. */
export const stepsUp = ({ stepUp }: RehearsalAction) => stepUp !== false

export const fieldsOf = ({ body }: RehearsalAction, { person, agent }: Visit): Fields =>
  (typeof body === 'function' ? body(person, agent) : body) ?? {}

export function requestOf(action: RehearsalAction, whose: Visit, over: Fields = {}): RehearsalRequest {
  const { method = 'POST', path, type = 'json', body } = action
  const fields = { ...fieldsOf(action, whose), ...over }
  if (body === undefined && Object.keys(over).length === 0) return { method, path }
  return { method, path, body: type === 'json' ? fields : formOf(fields) }
}

interface DeedsParts {
  readonly given: readonly RehearsalAction[]
  readonly path: string
  readonly nobody: () => Agent
  /** Has a code sent, and types it. */
  readonly codeGiven: (visit: Visit, body: object) => Promise<Challenged>
}

/** The actions: how one is done as it is meant, and whether a request like it did it too. */
export function createDeeds({ given, path, nobody, codeGiven }: DeedsParts) {
  const known = new Map<RehearsalAction, Done>()

  /** Those that were seen done come first, so that one that was not hinders no other. */
  function actions(which: (action: RehearsalAction) => boolean = () => true): readonly RehearsalAction[] {
    const found = given.filter(which)
    if (found.length === 0) throw lacking('actions')
    return [...found.filter((one) => known.has(one)), ...found.filter((one) => !known.has(one))]
  }

  /** Sends an action, or a request like it, and says whether it was done. */
  async function attempt(action: RehearsalAction, visit: Visit, request = requestOf(action, visit)) {
    const done = known.get(action)
    // Otherwise what was never seen done would count as held, whatever the app does.
    if (done === undefined) {
      throw new NotTried(
        `"${action.name}" was not done with its code, so that nobody knows what that looks like`,
      )
    }
    return counted(action, visit, request, (response) => looksDone(response, done))
  }

  /** Sends it, and says whether that did it: by what the plan counts, else as it looks. */
  async function counted(
    action: RehearsalAction,
    visit: Visit,
    request: RehearsalRequest,
    looks: (response: RehearsalResponse) => Awaitable<boolean>,
  ) {
    const before = await action.done?.(visit.person)
    const response = await visit.agent.send(request)
    const after = await action.done?.(visit.person)
    return { response, isDone: after === undefined ? await looks(response) : after !== before }
  }

  /** Types the code that an answer asks for; undefined where it asks for none. */
  async function answered(visit: Visit, answer: RehearsalResponse): Promise<Challenged | undefined> {
    const requirement = requirementIn(answer)
    return requirement === undefined ? undefined : codeGiven(visit, { requirement })
  }

  /** Sends an action, and types the code that it asks for. */
  async function ask(action: RehearsalAction, visit: Visit) {
    const answer = await visit.agent.send(requestOf(action, visit))
    return { answer, asked: await answered(visit, answer) }
  }

  /** Gets an action its code, so that it may follow. `asked` is undefined when it was done without. */
  async function approve(action: RehearsalAction, visit: Visit) {
    const looks = (answer: RehearsalResponse) =>
      requirementIn(answer) === undefined && seemsDone(answer, visit.agent, path)
    const { response: answer, isDone } = await counted(action, visit, requestOf(action, visit), looks)
    const asked = await answered(visit, answer)
    if (asked !== undefined) return { answer, asked }
    if (answer.status >= 400) throw refused(answer, `"${action.name}" asked for no code`)
    if (!isDone) throw unsure(action, 'asked for no code and was perhaps not done')
    return { answer, asked }
  }

  /** Does an action as it is meant, and remembers what that looks like. */
  async function perform(action: RehearsalAction, visit: Visit): Promise<void> {
    const request = requestOf(action, visit)
    const { answer: refusal, asked } = stepsUp(action)
      ? await approve(action, visit).catch((error) => {
          const refusal = refusalOf(error)
          const isWired = refusal === undefined || refusal.status === 404 || isLimited(refusal)
          throw isWired ? error : new Fell(error.message, request)
        })
      : {}
    const { response: answer, isDone } = await counted(
      action,
      visit,
      requestOf(action, visit),
      (response) => !tellsFailure(response),
    )
    if (answer.status === 404 || isLimited(answer)) throw refused(answer)
    if (answer.status >= 400) fell(answer)
    const done = doneBy(request, answer, visit, asked && refusal)
    const isCounted = action.done !== undefined
    if (!isDone && isCounted) fell(answer, `${told(answer)}, and \`done\` counted nothing`)
    if (!isDone) throw unsure(action, 'was perhaps not done')
    // Whoever is led to one place whatever happens learns nothing from it.
    if (!isCounted && answer.status >= 300 && looksDone(await nobody().send(request), done)) {
      throw unsure(action, 'answers nobody the same')
    }
    known.set(action, done)
  }

  /** Gets an action its code, where it has to ask for one. */
  async function mustAsk(action: RehearsalAction, visit: Visit): Promise<void> {
    const { answer, asked } = await approve(action, visit)
    if (asked === undefined) fell(answer, `${told(answer)} and did it`, action.name)
  }

  /** Whether an answer holds something of its own, such as an id, and not what everybody gets. */
  function isUnique(action: RehearsalAction, { person }: Visit, response: RehearsalResponse): boolean {
    const done = known.get(action)
    return done !== undefined && isUnlike(response, person, done)
  }

  return { actions, attempt, ask, approve, perform, mustAsk, isUnique }
}

/** What it did, only the plan can say. */
export const unsure = ({ name }: RehearsalAction, why: string) =>
  new NotTried(`"${name}" ${why}: give \`done\``)
