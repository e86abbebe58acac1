import type { Agent } from './agent.js'
import { stepsUp } from './effects.js'
import { attacker } from './hostile.js'
import { isOfTheRequest } from './leaves.js'
import { fieldsOf, isSuccess, pathFor, requestOf } from './requests.js'
import type { Attack, Stage } from './stage.js'
import { inContentTypes, isOfForms } from './variants.js'
import { Fell, fell, NotTried, told } from './verdicts.js'
import type { Visit } from './visit.js'
import type { RehearsalResponse } from './wire.js'

/**
 * Ends a row about cookies if a signed-in person needs no cookie, as with a token: an attacker has no cookie to misuse.
 */
export async function mustNeedCookies({ path, paths }: Stage, { agent, person }: Visit): Promise<void> {
  const without = agent.copy([...agent.cookies.keys()])
  const all = [path, ...paths.map((one) => pathFor(one, person))]
  const answers = await Promise.all(all.map((one) => without.get(one)))
  if (answers.every(isSuccess)) throw new NotTried('no cookie identifies the session', { lacks: 'a cookie' })
}

export const attackOnCookies: Attack = {
  code: 'cookies',
  claim: 'scripts and other sites cannot use the session cookie',
  fix: "set cookie: { httpOnly: true, sameSite: 'lax' } of the session; with 'none', for a front end on another site, list that site in cors() and in origins of the plan, and accept no forms of other sites",
  docs: 'docs/sessions.md#express-session',
  async run(stage, tries) {
    const visit = await stage.signedIn()
    const { agent } = visit
    await mustNeedCookies(stage, visit)
    tries(`the flags of ${agent.cookies.size} cookies after a sign-in`)
    const full = await stage.lookIn(visit)
    let keys = 0
    for (const [name, line] of agent.setCookies) {
      // Only a cookie that keeps a person signed in is a target. Other cookies may have any attributes.
      const seen = await stage.look({ ...visit, agent: agent.copy([name]) })
      if (stage.firstShown(seen, full) !== undefined) continue
      keys += 1
      const flags = line.split(';').map((flag) => flag.trim().toLowerCase())
      const has = (start: string) => flags.some((flag) => flag.startsWith(start))
      const isShared = has('samesite=none') && (await isCalledAcross(stage, agent))
      if (isShared) await forge(stage)
      const missing = [
        ...(has('httponly') ? [] : ['is readable by scripts (no HttpOnly)']),
        ...(isShared || has('samesite=lax') || has('samesite=strict')
          ? []
          : ['is sent with requests of other sites (no SameSite=Lax)']),
        ...(has('domain=') ? ['is sent to every subdomain (Domain)'] : []),
      ]
      const request = { method: 'GET', path: full[0]?.page.request.path ?? '/' }
      if (missing.length > 0) throw new Fell(`the session cookie "${name}" ${missing.join(' and ')}`, request)
    }
    if (keys === 0) throw new NotTried('the pages are shown even if any one cookie is missing')
    return `${keys} identify the session, and their flags protect them`
  },
}

/** Returns whether pages of this origin may read the response with the cookies of a visitor. */
export function mayRead(origin: string, { headers }: RehearsalResponse): boolean {
  return (
    headers['access-control-allow-origin'] === origin &&
    headers['access-control-allow-credentials'] === 'true'
  )
}

/** Returns whether pages of another origin in the plan call the app: they need its cookie. */
async function isCalledAcross({ path, options: { origins = [] } }: Stage, agent: Agent): Promise<boolean> {
  const readings = origins.map(async (origin) =>
    mayRead(origin, await agent.get(path, fromElsewhere(origin))),
  )
  return (await Promise.all(readings)).includes(true)
}

/** Posts like a form of another site, with the cookie attached: only the app can refuse this request (CSRF). */
async function forge(stage: Stage): Promise<void> {
  const posted = (stage.options.actions ?? []).filter(({ method = 'POST' }) => method === 'POST')
  for (const action of posted.filter((one) => !stepsUp(one))) {
    const visit = await stage.signedIn()
    const own = Object.entries(await fieldsOf(action, visit)).filter(([name]) => !isOfTheRequest(name))
    const forms = inContentTypes(Object.fromEntries(own)).filter(({ type }) => isOfForms(type))
    for (const { type, body } of forms) {
      const headers = { ...fromElsewhere(attacker), 'content-type': type }
      const request = { ...(await requestOf(action, visit)), body, headers }
      const { response, isDone } = await stage.effects.attempt(action, visit, request)
      if (isDone) fell(response, `${told(response)} to a form of another site`)
    }
  }
}

export const fromElsewhere = (origin: string) => ({ origin, 'sec-fetch-site': 'cross-site' })
