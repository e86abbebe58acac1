import type { RehearsalAction } from './contract.js'
import { formOf, inContentTypes, methods, spellingsOf } from './hostile.js'
import { type Attack, fell, NotTried, type Stage, told, type Visit } from './stage.js'
import type { RehearsalRequest } from './wire.js'

/** Whether a fresh code is asked for. */
export const stepsUp = ({ stepUp }: RehearsalAction) => stepUp !== false

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

/** What stands between an action and whoever has no code for it. */
export const attacksOnActions: readonly Attack[] = [
  {
    code: 'without-code',
    claim: 'no action is done without a code',
    fix: 'put tf.requireTwoFactor({ … }) between parser and handler: app.post(path, parser, guard, handler)',
    docs: 'docs/api.md#the-guard',
    run(stage, tries) {
      tries(`${names(stage.actions())}: by nobody, by a password, and signed in without a fresh code`)
      return vary(
        stage,
        (action, visit) => [stage.requestOf(action, visit)],
        (visits) => visits,
      )
    },
  },
  {
    code: 'other-methods',
    claim: 'no action is done without a code by another method',
    fix: 'change nothing on GET, and put the guard before the handlers of every method: app.all(path, guard)',
    docs: 'docs/api.md#the-guard',
    run(stage, tries) {
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
    },
  },
  {
    code: 'spellings',
    claim: 'no action is done without a code in another spelling of its path',
    fix: 'mount the guard on the route or router itself, in place of comparing req.path',
    docs: 'docs/security.md#what-to-keep-apart',
    run(stage, tries) {
      tries('the same path in other spellings')
      return vary(stage, (action, visit) => {
        const request = stage.requestOf(action, visit)
        return spellingsOf(request.path).map((path) => ({ ...request, path }))
      })
    },
  },
  {
    code: 'content-types',
    claim: 'no action is done without a code in another content type',
    fix: 'let the guard stand before the handler whatever the body is, with every parser before the guard',
    docs: 'docs/api.md#the-guard',
    run(stage, tries) {
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
    },
  },
  {
    code: 'changed',
    claim: 'a code covers the action that it was shown for and no other',
    fix: 'return every field that the handler uses from bind, read from the same place',
    docs: 'docs/api.md#the-guard',
    async run(stage, tries) {
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
    },
  },
  {
    code: 'twice',
    claim: 'one code is good for one action',
    fix: 'add once: true to the guard',
    docs: 'docs/api.md#the-guard',
    async run(stage, tries) {
      const found = stage.actions((action) => stepsUp(action) && action.repeatable !== true)
      const together = 10
      tries(`${names(found)}: ${together} times at once and then once more, with one code`)
      for (const action of found) {
        const visit = await stage.signedIn()
        if ((await stage.approve(action, visit)) === undefined) throw new NotTried('no code was asked for')
        const before = await action.done?.(visit.person)
        const attempts = await Promise.all(
          Array.from({ length: together }, () => stage.attempt(action, visit)),
        )
        const last = await stage.attempt(action, visit)
        const times =
          before === undefined
            ? [...attempts, last].filter(({ isDone }) => isDone).length
            : Number(await action.done?.(visit.person)) - before
        if (times === 0) throw new NotTried(`"${action.name}" was not done at all: ${told(last.response)}`)
        if (times > 1) fell(last.response, `"${action.name}" was done ${times} times`)
      }
      return 'done once'
    },
  },
]

export const names = (actions: readonly RehearsalAction[]) =>
  actions.map(({ name }) => `"${name}"`).join(', ')
