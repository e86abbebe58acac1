import type { Agent } from './agent.js'
import type { RehearsalPerson } from './contract.js'
import { holds, isSuccess, leadsTo, type Parts, partsOf, tellsFailure, without, wordsOf } from './shape.js'
import type { Visit } from './visit.js'
import type { RehearsalRequest, RehearsalResponse } from './wire.js'

/** What it looks like when something was done, where nothing but the answer tells. */
export interface Done {
  readonly answer: RehearsalResponse
  readonly parts: Parts
  readonly person: RehearsalPerson
}

/** `refusal`: what it looks like when it was not. */
export function doneBy(
  request: RehearsalRequest,
  answer: RehearsalResponse,
  visit: Visit,
  refusal?: RehearsalResponse,
): Done {
  const own = request.body instanceof URLSearchParams ? Object.fromEntries(request.body) : request.body
  const given = Object.values({ ...(own as object | undefined), ...visit.person }).map(String)
  const echoes = new Set([...given, ...given.flatMap((value) => [...wordsOf(value)])])
  const parts = partsOf(answer, echoes)
  const { person } = visit
  return { answer, person, parts: refusal === undefined ? parts : without(parts, partsOf(refusal)) }
}

export function looksDone(response: RehearsalResponse, { answer, parts }: Done): boolean {
  return (
    response.status === answer.status &&
    leadsTo(response) === leadsTo(answer) &&
    !tellsFailure(response) &&
    // Where it says nothing, as 204 does, everything else would say that, too.
    (parts.size > 0 ? holds(partsOf(response), parts) : textOf(response) === textOf(answer))
  )
}

/** Whether a request for which no code was asked did it all the same. `path`: where a code would be asked for. */
export async function seemsDone(answer: RehearsalResponse, agent: Agent, path: string): Promise<boolean> {
  const end = await agent.follow(answer)
  return (
    isSuccess(end) && !tellsFailure(end) && !leadsTo(answer).includes(path) && !end.text.includes(`"${path}/`)
  )
}

/** Whether an answer differs from that of somebody else in more than what is about the person. */
export function isUnlike({ text }: RehearsalResponse, person: RehearsalPerson, done: Done): boolean {
  return withoutValues(text, person) !== withoutValues(done.answer.text, done.person)
}

const textOf = ({ text }: RehearsalResponse) => text.replaceAll(/\d+/g, '0')

const withoutValues = (text: string, person: RehearsalPerson) =>
  Object.values(person).reduce((rest, value) => rest.replaceAll(String(value), ''), text)
