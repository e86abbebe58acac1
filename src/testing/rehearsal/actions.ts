import type { Fields, RehearsalAction } from './contract.js'
import { inContentTypes, methods, spellingsOf } from './hostile.js'
import { type Attempted, NotTried, type Stage, told, type Visit } from './stage.js'
import type { RehearsalRequest } from './wire.js'

const stepsUp = ({ stepUp }: RehearsalAction) => stepUp !== false

/** Once as it is meant: later rows know by it what it looks like when something was done. */
export async function confirmed(stage: Stage): Promise<Attempted> {
  const tried = `${names(stage.actions())}, each with the code that it asked for`
  for (const action of stage.actions()) {
    const visit = await stage.signedIn()
    const request = stage.requestOf(action, visit.person)
    try {
      if (stepsUp(action)) await stage.approve(action, visit)
    } catch (error) {
      if (!(error instanceof NotTried)) throw error
      return { tried, seen: error.message, fell: true, request }
    }
    const response = await visit.agent.send(request)
    if (response.status >= 400) return { tried, seen: told(response), fell: true, request: response.request }
    stage.rememberDone(action, response)
  }
  return { tried, seen: 'done', fell: false }
}

/** Where a request stands that no code covers: nobody signed in, a password, and a sign-in before the step-up. */
async function withoutCode(stage: Stage, action: RehearsalAction): Promise<readonly Visit[]> {
  const person = await stage.person()
  const before = [{ agent: stage.agent(), person }, await stage.passwordGiven()]
  return stepsUp(action) ? [...before, await stage.signedIn()] : before
}

/** Sends variants of each action where no code covers it. Falls by the first that is done. */
async function vary(
  stage: Stage,
  tried: string,
  variantsOf: (action: RehearsalAction, visit: Visit) => readonly RehearsalRequest[],
  which: (visits: readonly Visit[]) => readonly Visit[] = (visits) => visits.slice(-1),
): Promise<Attempted> {
  let count = 0
  for (const action of stage.actions()) {
    for (const visit of which(await withoutCode(stage, action))) {
      for (const variant of variantsOf(action, visit)) {
        count += 1
        const { response, isDone } = await stage.attempt(action, visit, variant)
        if (!isDone) continue
        return { tried, seen: `${told(response)} and did it`, fell: true, request: response.request }
      }
    }
  }
  return { tried, seen: `none of ${count} requests did it`, fell: false }
}

export const unproven = (stage: Stage): Promise<Attempted> =>
  vary(
    stage,
    `${names(stage.actions())}: by nobody, by a password, and signed in without a fresh code`,
    (action, { person }) => [stage.requestOf(action, person)],
    (visits) => visits,
  )

export const otherMethods = (stage: Stage): Promise<Attempted> =>
  vary(stage, 'the same path by other methods, the fields in body and query', (action, { person }) => {
    const request = stage.requestOf(action, person)
    const query = queryOf(stage.fieldsOf(action, person))
    const others = methods.filter((method) => method !== request.method)
    return [
      ...others.map((method) => ({ ...request, method, path: `${request.path}${query}` })),
      // As a form can: a GET that the server takes for something else.
      { method: 'GET', path: `${request.path}${query}&_method=${request.method}` },
      { ...request, headers: { 'x-http-method-override': 'PUT' } },
    ]
  })

export const spellings = (stage: Stage): Promise<Attempted> =>
  vary(stage, 'the same path in other spellings', (action, { person }) => {
    const request = stage.requestOf(action, person)
    return spellingsOf(request.path).map((path) => ({ ...request, path }))
  })

export const contentTypes = (stage: Stage): Promise<Attempted> =>
  vary(stage, 'the same fields in other content types, and in the query', (action, { person }) => {
    const { method, path } = stage.requestOf(action, person)
    const fields = stage.fieldsOf(action, person)
    return [
      ...inContentTypes(fields).map(({ type, body }) => ({
        ...{ method, path, body },
        headers: { 'content-type': type },
      })),
      { method, path: `${path}${queryOf(fields)}` },
    ]
  })

export async function changed(stage: Stage): Promise<Attempted> {
  const found = stage.actions((action) => stepsUp(action) && action.changed !== undefined)
  let count = 0
  const tried = `${names(found)}: another value of each field after the code`
  for (const action of found) {
    const visit = await stage.signedIn()
    await stage.approve(action, visit)
    for (const [name, value] of Object.entries(action.changed ?? {})) {
      count += 1
      const request = stage.requestOf(action, visit.person, { [name]: value })
      const { response, isDone } = await stage.attempt(action, visit, request)
      if (!isDone) continue
      return {
        tried,
        seen: `${told(response)} with another "${name}"`,
        fell: true,
        request: response.request,
      }
    }
  }
  return { tried, seen: `none of ${count} was done`, fell: false }
}

export async function twice(stage: Stage): Promise<Attempted> {
  const found = stage.actions((action) => stepsUp(action) && action.repeatable !== true)
  const together = 10
  const tried = `${names(found)}: ${together} times at once and then once more, with one code`
  for (const action of found) {
    const visit = await stage.signedIn()
    if ((await stage.approve(action, visit)) === undefined) throw new NotTried('no code was asked for')
    const before = await action.done?.(visit.person)
    const attempts = await Promise.all(Array.from({ length: together }, () => stage.attempt(action, visit)))
    const last = await stage.attempt(action, visit)
    const times =
      before === undefined
        ? [...attempts, last].filter(({ isDone }) => isDone).length
        : Number(await action.done?.(visit.person)) - before
    if (times === 0) throw new NotTried(`"${action.name}" was not done at all: ${told(last.response)}`)
    const { request } = last.response
    if (times > 1) return { tried, seen: `"${action.name}" was done ${times} times`, fell: true, request }
  }
  return { tried, seen: 'done once', fell: false }
}

const names = (actions: readonly RehearsalAction[]) => actions.map(({ name }) => `"${name}"`).join(', ')

function queryOf(fields: Fields): string {
  return `?${new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]))}`
}
