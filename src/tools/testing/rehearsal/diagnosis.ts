import type { RehearsalAction } from './contract.js'
import { requestOf, requirementIn } from './requests.js'
import { Fell, isLimited, NotTried, refused, told } from './verdicts.js'
import type { Visit } from './visit.js'
import type { RehearsalResponse } from './wire.js'

const types = ['json', 'form', 'multipart'] as const

/** The usual gap in a plan, by the status of the app's refusal. */
const missing: Readonly<Record<number, string>> = {
  400: 'other fields or another `type` of its body (form, multipart)',
  401: 'a `signIn` that the route accepts',
  403: 'a token from the page before (`body` may be a function that reads it), or a `person` with the role',
  404: 'another `path`, or a `person` with the role',
  405: 'another `method`',
  409: 'a `person` in the right state',
  415: 'another `type` of its body (form, multipart)',
  419: 'a token from the page before (`body` may be a function that reads it)',
  422: 'other fields, or another `type` of its body (form, multipart)',
}

/**
 * Returns why an action was not done. A refusal is the mistake of the app only if the package shows it: by its problem
 * code, or by its warning that no parser runs before the guard (`isUnparsed`).
 */
export async function explainRefusal(
  action: RehearsalAction,
  visit: Visit,
  response: RehearsalResponse,
  { isApproved = false, isUnparsed = false } = {},
): Promise<Error> {
  const { name, type = 'json' } = action
  if (isLimited(response)) return refused(response)
  const where = `"${name}" ${isApproved ? 'after' : 'before'} its code: ${told(response)}`
  const { status } = response
  const code = codeOf(response)
  if (code === 'not_identified' || (isApproved && code === 'second_factor_required')) {
    return new Fell(where, response.request)
  }
  if (status >= 400 && !isApproved) {
    for (const other of types.filter((one) => one !== type)) {
      const again = await visit.agent.send(await requestOf({ ...action, type: other }, visit))
      if (requirementIn(again) !== undefined)
        return new NotTried(`${where}; the plan lacks \`type: '${other}'\``)
    }
    if (isUnparsed || /not parsed before the guard/.test(response.text))
      return new Fell(where, response.request)
  }
  if (status >= 500) return new NotTried(`${where}; the app failed, or the plan lacks fields that it needs`)
  if (status >= 400)
    return new NotTried(`${where}; the plan lacks ${missing[status] ?? 'what the app requires'}`)
  return new NotTried(`${where}, and \`state\` did not change: name a state that shows the action`)
}

/** Returns the problem code of the package; undefined for a response of the app itself. */
export function codeOf({ headers, json }: RehearsalResponse): string | undefined {
  const isProblem = headers['content-type']?.startsWith('application/problem+json') === true
  return isProblem && typeof json?.code === 'string' ? json.code : undefined
}
