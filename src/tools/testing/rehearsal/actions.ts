import { randomUUID } from 'node:crypto'
import type { Fields, RehearsalAction } from './contract.js'
import { fieldsOf, requestOf, stepsUp, unsure } from './deeds.js'
import {
  anotherValue,
  formOf,
  inContentTypes,
  isOfTheRequest,
  methods,
  overrides,
  safeMethods,
  spellingsOf,
  withKey,
} from './hostile.js'
import type { Attack, Stage } from './stage.js'
import { fell, isLimited, lacking, refused, told } from './verdicts.js'
import type { Visit } from './visit.js'
import type { RehearsalRequest, RehearsalResponse } from './wire.js'

const together = 10

/** Who has come as far as anybody may without a code for it: to the password, or to a sign-in before the step-up. */
const nearestOf = async (stage: Stage, action: RehearsalAction): Promise<readonly Visit[]> => [
  stepsUp(action) ? await stage.signedIn() : await stage.passwordGiven(),
]

/** Sends variants of each action where no code covers it. Falls by the first that is done. */
async function vary(
  stage: Stage,
  variantsOf: (action: RehearsalAction, visit: Visit) => readonly RehearsalRequest[],
  visitsOf = nearestOf,
): Promise<string> {
  let count = 0
  for (const action of stage.actions()) {
    for (const visit of await visitsOf(stage, action)) {
      for (const variant of variantsOf(action, visit)) {
        count += 1
        const { response, isDone } = await stage.attempt(action, visit, variant)
        if (isLimited(response)) throw refused(response)
        if (!isDone || (await isRead(stage, action, visit, variant))) continue
        fell(response, `${told(response)} and did it`, action.name)
      }
    }
  }
  return `none of ${count} requests did it`
}

/** Whether a safe method is answered in that way without any field: to whoever reads it, or asks before a request (CORS). */
async function isRead(stage: Stage, action: RehearsalAction, visit: Visit, { method }: RehearsalRequest) {
  if (!safeMethods.includes(method) || action.done !== undefined) return false
  const { response, isDone } = await stage.attempt(action, visit, { method, path: action.path })
  // A page with nothing to show says as little as a deed: which of them it was, nobody sees.
  if (isDone && method === 'GET' && response.text === '') {
    throw unsure(action, 'says nothing when it is done, and neither does GET')
  }
  return isDone
}

/** What stands between an action and whoever has no code for it. */
export const attacksOnActions: readonly Attack[] = [
  {
    code: 'without-code',
    claim: 'no action is done without a code',
    fix: 'put tf.requireTwoFactor({ … }) between parser and handler: app.post(path, parser, guard, handler)',
    docs: 'docs/reference.md#the-guard',
    run(stage, tries) {
      tries(`${names(stage.actions())}: by nobody, by a password, and signed in without a fresh code`)
      const allOf = async (_stage: Stage, action: RehearsalAction) => {
        const nobody = { agent: stage.agent(), person: await stage.person() }
        const nearest = await nearestOf(stage, action)
        return stepsUp(action) ? [nobody, await stage.passwordGiven(), ...nearest] : [nobody, ...nearest]
      }
      return vary(stage, (action, visit) => [requestOf(action, visit)], allOf)
    },
  },
  {
    code: 'other-methods',
    claim: 'no action is done without a code by another method',
    fix: 'change nothing on GET, and put the guard before the handlers of every method: app.all(path, guard)',
    docs: 'docs/reference.md#the-guard',
    run(stage, tries) {
      tries('the same path by other methods, the fields in body and query')
      return vary(stage, (action, visit) => {
        const request = requestOf(action, visit)
        const fields = fieldsOf(action, visit)
        const path = `${request.path}?${formOf(fields)}`
        return [
          ...methods
            .filter((method) => method !== request.method)
            .map((method) => ({ ...request, method, path })),
          // As a form can: what the server takes for another method, behind a guard that goes by the first.
          { method: 'GET', path: `${path}&_method=${request.method}` },
          ...overrides.flatMap((_method) => [
            { method: 'POST', path: request.path, body: { ...fields, _method } },
            { method: 'POST', path: request.path, body: formOf({ ...fields, _method }) },
            { ...request, method: 'POST', headers: { 'x-http-method-override': _method } },
          ]),
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
        const request = requestOf(action, visit)
        return spellingsOf(request.path).map((path) => ({ ...request, path }))
      })
    },
  },
  {
    code: 'content-types',
    claim: 'no action is done without a code in another content type',
    fix: 'let the guard stand before the handler whatever the body is, with every parser before the guard',
    docs: 'docs/reference.md#the-guard',
    run(stage, tries) {
      tries('the same fields in other content types, and in the query')
      return vary(stage, (action, visit) => {
        const { method, path } = requestOf(action, visit)
        const fields = fieldsOf(action, visit)
        return [
          ...inContentTypes(fields).map(({ type, body }) => ({
            method,
            path,
            body,
            headers: { 'content-type': type },
          })),
          { method, path: `${path}?${formOf(fields)}` },
        ]
      })
    },
  },
  {
    code: 'changed',
    claim: 'a code covers the action that it was shown for and no other',
    fix: 'return every field that the handler uses from bind, read from the same place; name in mayChange what a code need not cover',
    docs: 'docs/reference.md#the-guard',
    async run(stage, tries) {
      const tried: string[] = []
      for (const action of stage.actions(stepsUp)) {
        const visit = await stage.signedIn()
        const changes = Object.entries(changesOf(action, visit))
        if (changes.length === 0) continue
        tried.push(`"${action.name}" with another ${changes.map(([name]) => name).join(', another ')}`)
        tries(`${tried.join('; ')}, after the code`)
        await stage.mustAsk(action, visit)
        for (const [name, value] of changes) {
          const request = requestOf(action, visit, { [name]: value })
          const { response, isDone } = await stage.attempt(action, visit, request)
          if (isDone) fell(response, `${told(response)} with another "${name}"`)
        }
        const meant = await stage.attempt(action, visit)
        if (!meant.isDone)
          throw refused(meant.response, `"${action.name}" was then not done as it was confirmed`)
      }
      if (tried.length === 0) throw lacking('actions')
      return 'none was done, and then each as it was confirmed'
    },
  },
  {
    code: 'twice',
    claim: 'one code is good for one action',
    fix: 'add once: true to the guard',
    docs: 'docs/reference.md#the-guard',
    async run(stage, tries) {
      const found = stage.actions((action) => stepsUp(action) && action.repeatable !== true)
      tries(`${names(found)}: ${together} times at once and then once more, with one code`)
      for (const action of found) {
        const visit = await stage.signedIn()
        await stage.mustAsk(action, visit)
        const before = await action.done?.(visit.person)
        const send = (key?: string) => stage.attempt(action, visit, withKey(requestOf(action, visit), key))
        // Each with a key of its own, or the app would be right to repeat its first answer.
        let answers = await Promise.all(Array.from({ length: together }, () => send(randomUUID())))
        if (!answers.some(({ isDone }) => isDone)) {
          answers = await Promise.all(Array.from({ length: together }, () => send()))
        }
        const last = await send()
        const done = [...answers, last].flatMap(({ isDone, response }) => (isDone ? [response] : []))
        const times =
          before === undefined
            ? countOf(stage, action, visit, done)
            : Number(await action.done?.(visit.person)) - before
        if (times === 0) throw refused(last.response, `"${action.name}" was not done at all`)
        if (times > 1) fell(last.response, `"${action.name}" was done ${times} times`)
      }
      return 'done once'
    },
  },
]

/** How often it was done, as far as the answers tell: one that is repeated, and not as others get it, is the first one's. */
function countOf(
  stage: Stage,
  action: RehearsalAction,
  visit: Visit,
  done: readonly RehearsalResponse[],
): number {
  const [first, ...more] = done
  if (first === undefined) return 0
  const isRepeated = more.every(({ text }) => text === first.text) && stage.isUnique(action, visit, first)
  return isRepeated ? 1 : done.length
}

/** Fields with another value than the one that is confirmed. What one code may do several times is not one action. */
function changesOf(action: RehearsalAction, visit: Visit): Fields {
  const { changed, mayChange = [], repeatable = false } = action
  const own = repeatable ? [] : Object.entries(fieldsOf(action, visit))
  const bound = own.filter(([name]) => !mayChange.includes(name) && !isOfTheRequest(name))
  return { ...Object.fromEntries(bound.map(([name, value]) => [name, anotherValue(value)])), ...changed }
}

export const names = (actions: readonly RehearsalAction[]) =>
  actions.map(({ name }) => `"${name}"`).join(', ')
