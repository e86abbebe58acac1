import type { Fields, RehearsalAction, RehearsalPerson } from './contract.js'
import { explainRefusal } from './diagnosis.js'
import {
  fieldsAgain,
  fieldsOf,
  isSuccess,
  pathFor,
  purposeIn,
  requestWith,
  requirementIn,
} from './requests.js'
import {
  type Change,
  changeBetween,
  type Effect,
  effectOf,
  hasEffect,
  losesPages,
  type Snapshot,
  snapshotOf,
  snapshotOfPages,
  without,
  withoutRefusal,
} from './snapshot.js'
import { mustBeJudged, NotTried, refused } from './verdicts.js'
import type { Challenged, Visit } from './visit.js'
import type { RehearsalRequest, RehearsalResponse } from './wire.js'

/** Returns whether a code for the action itself is required. */
export const stepsUp = ({ stepUp }: RehearsalAction): boolean => stepUp !== false

/** An action that was done once as intended. */
export interface Known {
  readonly effect: Effect
  /** Response to the request that was done. */
  readonly response: RehearsalResponse
  /** Purpose in the refusal of its guard. */
  readonly purpose: string | undefined
  /** The fields of that request. */
  readonly fields: Fields
}

/** The effect of requests, by the state and not by their responses. */
export interface Outcome {
  readonly change: Change
  readonly isDone: boolean
}

/** A text that is chosen from ten at random stays in none of 20 rehearsals of a hundred requests. */
const repeatedReads = 6

interface EffectsParts {
  readonly state: RehearsalAction['state']
  readonly signedIn: (visit?: Partial<Visit>) => Promise<Visit>
  readonly codeGiven: (visit: Visit, body: object) => Promise<Challenged>
  /** Returns whether the package warned that no parser runs before a guard. */
  readonly isUnparsed: () => boolean
  /** Notes the request of an action. */
  readonly onAction: (request: RehearsalRequest) => void
}

/**
 * Creates the only probe of the state: it determines the effect of an action, and whether a request had this effect.
 */
export function createEffects({ state, signedIn, codeGiven, isUnparsed, onAction }: EffectsParts) {
  const known = new Map<RehearsalAction, Promise<Known>>()
  const noise = new Map<RehearsalAction, Map<string, number>>()
  const witnesses = new Map<RehearsalPerson, Promise<Visit>>()

  /** Returns a browser of the person that reads the state, and takes no part in the attack. */
  function witnessOf(person: RehearsalPerson): Promise<Visit> {
    const found = witnesses.get(person) ?? signedIn({ person })
    witnesses.set(person, found)
    return found
  }

  /** Lets a browser that is signed in with a code read the state of its person. */
  const adopt = (visit: Visit) => void witnesses.set(visit.person, Promise.resolve(visit))

  /** Reads the state that the plan names for an action. */
  async function read(action: RehearsalAction, person: RehearsalPerson, isFirst = false): Promise<Snapshot> {
    const shows = action.state ?? state
    if (shows === undefined) {
      throw new NotTried(`add \`state\`: pages or a function that show what "${action.name}" changes`)
    }
    if (typeof shows === 'function') return snapshotOf(await shows(person))
    const { agent } = await witnessOf(person)
    const pages: RehearsalResponse[] = []
    for (const page of shows) pages.push(mustBeJudged(await agent.get(pathFor(page, person))))
    const missing = isFirst ? pages.find((page) => !isSuccess(page)) : undefined
    if (missing !== undefined) throw refused(missing, '`state` cannot be read')
    return snapshotOfPages(pages)
  }

  /** Does an action as intended, and returns how the state changed. */
  async function perform(action: RehearsalAction) {
    const visit = await signedIn()
    adopt(visit)
    const { person, agent } = visit
    const first = await read(action, person, true)
    const idle = changeBetween(first, await read(action, person))
    const fields = await fieldsOf(action, visit)
    onAction(requestWith(action, person, fields))
    const about = { idle, fields, purpose: undefined, refused: new Map<string, number>() }
    if (stepsUp(action)) {
      const refusal = await agent.send(requestWith(action, person, fields))
      const requirement = requirementIn(refusal)
      const change = without(changeBetween(first, await read(action, person)), idle)
      if (requirement === undefined) {
        if (change.size > 0 && refusal.status < 400) return { ...about, change, response: refusal }
        throw await explainRefusal(action, visit, refusal, { isUnparsed: isUnparsed() })
      }
      await codeGiven(visit, { requirement })
      Object.assign(about, { refused: change, purpose: purposeIn(refusal) })
    }
    const before = await read(action, person)
    const response = await agent.send(requestWith(action, person, await fieldsAgain(action, visit, fields)))
    const change = without(changeBetween(before, await read(action, person)), idle)
    if (change.size === 0 || response.status >= 400) {
      throw await explainRefusal(action, visit, response, { isApproved: true })
    }
    return { ...about, change, response }
  }

  /** Does the action for two people: parts of the state that differ between them are ids, times and names. */
  async function learn(action: RehearsalAction): Promise<Known> {
    const [one, other] = [await perform(action), await perform(action)]
    noise.set(action, new Map([...one.idle, ...other.idle]))
    const effect = effectOf(one.change, other.change)
    return { ...one, effect: withoutRefusal(effect, effectOf(one.refused, other.refused)) }
  }

  function knownOf(action: RehearsalAction): Promise<Known> {
    const found = known.get(action) ?? learn(action)
    known.set(action, found)
    return found
  }

  /** Returns the new parts of a change that stay when the state is read again: no token, time or tip of the day. */
  async function lastingIn(
    action: RehearsalAction,
    person: RehearsalPerson,
    change: Change,
    now: Snapshot,
  ): Promise<Change> {
    let lasting: Change = new Map([...change].filter(([, difference]) => difference > 0))
    for (let reads = 0; reads < repeatedReads && lasting.size > 0; reads += 1) {
      const again = await read(action, person)
      lasting = new Map([...lasting].filter(([part]) => again.get(part) === now.get(part)))
    }
    return lasting
  }

  /** Starts to watch the state of a person. The result reports how it has changed since, once for each change. */
  async function watch(action: RehearsalAction, person: RehearsalPerson): Promise<() => Promise<Outcome>> {
    let last = await read(action, person, true)
    return async () => {
      const { effect } = await knownOf(action)
      const now = await read(action, person)
      const ofItself = noise.get(action) ?? new Map()
      const seen = without(changeBetween(last, now), ofItself)
      // If people's changes have nothing in common, any change counts, but none that the state makes by itself.
      const isVague = effect.parts.size === 0 && ofItself.size > 0
      const change = isVague ? await lastingIn(action, person, seen, now) : seen
      last = now
      // The session of the witness has ended, so the pages would not show an effect.
      if (losesPages(change) && !losesPages(effect.parts)) {
        throw new NotTried(`the state of "${action.name}" can no longer be read: give a function`)
      }
      return { change, isDone: hasEffect(change, effect) }
    }
  }

  /** Sends a request as `visit`, and reports whether this did the action for `owner`. */
  async function attempt(
    action: RehearsalAction,
    visit: Visit,
    request: RehearsalRequest,
    owner = visit.person,
  ): Promise<Outcome & { readonly response: RehearsalResponse }> {
    const changed = await watch(action, owner)
    const response = mustBeJudged(await visit.agent.send(request))
    return { response, ...(await changed()) }
  }

  /** Returns the fields of an action. If a visitor cannot read their page, returns the fields of another person. */
  async function fieldsFor(action: RehearsalAction, visit: Visit): Promise<Fields> {
    const { fields } = await knownOf(action)
    return fieldsOf(action, visit).catch(() => fields)
  }

  /** Has a guard require a code for this request, and enters the code. Returns undefined if no code was required. */
  async function approve(visit: Visit, request: RehearsalRequest): Promise<Challenged | undefined> {
    const requirement = requirementIn(await visit.agent.send(request))
    return requirement === undefined ? undefined : codeGiven(visit, { requirement })
  }

  return { adopt, knownOf, fieldsFor, watch, attempt, approve }
}
