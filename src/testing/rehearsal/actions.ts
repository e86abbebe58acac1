import type { RehearsalAction } from './contract.js'
import { formOf, inContentTypes, methods, spellingsOf } from './hostile.js'
import { Fell, fell, NotTried, type Run, type Stage, told, type Visit } from './stage.js'
import type { RehearsalRequest } from './wire.js'

const stepsUp = ({ stepUp }: RehearsalAction) => stepUp !== false

/** Once as it is meant: later rows know by it what it looks like when something was done. */
export const confirmed: Run = async (stage, tries) => {
  tries(`${names(stage.actions())}, each with the code that it asked for`)
  for (const action of stage.actions()) {
    const visit = await stage.signedIn()
    const request = stage.requestOf(action, visit)
    if (stepsUp(action)) {
      await stage.approve(action, visit).catch((error) => {
        throw error instanceof NotTried ? new Fell(error.message, request) : error
      })
    }
    const response = await visit.agent.send(request)
    if (response.status >= 400) fell(response)
    stage.rememberDone(action, response)
  }
  return 'done'
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
  variantsOf: (action: RehearsalAction, visit: Visit) => readonly RehearsalRequest[],
  which: (visits: readonly Visit[]) => readonly Visit[] = (visits) => visits.slice(-1),
): Promise<string> {
  let count = 0
  for (const action of stage.actions()) {
    for (const visit of which(await withoutCode(stage, action))) {
      for (const variant of variantsOf(action, visit)) {
        count += 1
        const { response, isDone } = await stage.attempt(action, visit, variant)
        if (isDone) fell(response, `${told(response)} and did it`)
      }
    }
  }
  return `none of ${count} requests did it`
}

export const unproven: Run = (stage, tries) => {
  tries(`${names(stage.actions())}: by nobody, by a password, and signed in without a fresh code`)
  return vary(
    stage,
    (action, visit) => [stage.requestOf(action, visit)],
    (visits) => visits,
  )
}

export const otherMethods: Run = (stage, tries) => {
  tries('the same path by other methods, the fields in body and query')
  return vary(stage, (action, visit) => {
    const request = stage.requestOf(action, visit)
    const path = `${request.path}?${formOf(stage.fieldsOf(action, visit))}`
    return [
      ...methods
        .filter((method) => method !== request.method)
        .map((method) => ({ ...request, method, path })),
      // As a form can: a GET that the server takes for something else.
      { method: 'GET', path: `${path}&_method=${request.method}` },
      { ...request, headers: { 'x-http-method-override': 'PUT' } },
    ]
  })
}

export const spellings: Run = (stage, tries) => {
  tries('the same path in other spellings')
  return vary(stage, (action, visit) => {
    const request = stage.requestOf(action, visit)
    return spellingsOf(request.path).map((path) => ({ ...request, path }))
  })
}

export const contentTypes: Run = (stage, tries) => {
  tries('the same fields in other content types, and in the query')
  return vary(stage, (action, visit) => {
    const { method, path } = stage.requestOf(action, visit)
    const fields = stage.fieldsOf(action, visit)
    return [
      ...inContentTypes(fields).map(({ type, body }) => ({
        ...{ method, path, body, headers: { 'content-type': type } },
      })),
      { method, path: `${path}?${formOf(fields)}` },
    ]
  })
}

export const changed: Run = async (stage, tries) => {
  const found = stage.actions((action) => stepsUp(action) && action.changed !== undefined)
  tries(`${names(found)}: another value of each field after the code`)
  let count = 0
  for (const action of found) {
    const visit = await stage.signedIn()
    await stage.approve(action, visit)
    for (const [name, value] of Object.entries(action.changed ?? {})) {
      count += 1
      const request = stage.requestOf(action, visit, { [name]: value })
      const { response, isDone } = await stage.attempt(action, visit, request)
      if (isDone) fell(response, `${told(response)} with another "${name}"`)
    }
  }
  return `none of ${count} was done`
}

export const twice: Run = async (stage, tries) => {
  const found = stage.actions((action) => stepsUp(action) && action.repeatable !== true)
  const together = 10
  tries(`${names(found)}: ${together} times at once and then once more, with one code`)
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
    if (times > 1) fell(last.response, `"${action.name}" was done ${times} times`)
  }
  return 'done once'
}

const names = (actions: readonly RehearsalAction[]) => actions.map(({ name }) => `"${name}"`).join(', ')
