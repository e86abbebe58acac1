import type { RehearsalAction } from './contract.js'
import { type Attempted, NotTried, type Stage, told, type Visit } from './stage.js'

/** Password, a wrong code, the right one: as it is meant, and proof that the sandbox is that of the app. */
export async function signIn(stage: Stage): Promise<Attempted> {
  const tried = 'a password, a wrong code, the right one'
  const request = { method: 'POST', path: `${stage.path}/start`, body: {} }
  const visit = await stage.passwordGiven()
  let asked: Awaited<ReturnType<Stage['challenged']>>
  try {
    asked = await stage.challenged(visit)
  } catch (error) {
    const why = error instanceof NotTried ? error.message : 'no code arrived in the sandbox that is held'
    return { tried, seen: why, fell: true, request }
  }
  const wrong = await stage.verify({
    ...asked,
    code: asked.code.replace(/.$/, (last) => (last === '1' ? '2' : '1')),
  })
  if (wrong.status < 400)
    return { tried, seen: `wrong code: ${told(wrong)}`, fell: true, request: wrong.request }
  const right = await stage.verify(asked)
  if (right.status !== 200) return { tried, seen: told(right), fell: true, request: right.request }
  for (const page of stage.options.pages ?? []) {
    const response = await visit.agent.get(page)
    if (response.status >= 300) {
      return { tried, seen: `after the right code ${told(response)}`, fell: true, request: response.request }
    }
  }
  return { tried, seen: 'the right code alone let somebody in', fell: false }
}

export async function passwordOnly(stage: Stage): Promise<Attempted> {
  const visits = [{ agent: stage.agent() }, await stage.passwordGiven()]
  return closed(stage, `${stage.pages().join(', ')}: by nobody and by a password alone`, visits)
}

/** Whether the pages are shown in none of these browsers. */
async function closed(
  stage: Stage,
  tried: string,
  visits: readonly Pick<Visit, 'agent'>[],
): Promise<Attempted> {
  for (const visit of visits) {
    const shown = await stage.opensAny(visit)
    if (shown !== undefined) return { tried, seen: told(shown), fell: true, request: shown.request }
  }
  return { tried, seen: 'no page was shown', fell: false }
}

export async function replay(stage: Stage): Promise<Attempted> {
  const first = await stage.challenged(await stage.passwordGiven())
  await stage.verify(first)
  const second = await stage.challenged(await stage.passwordGiven({ person: first.person }))
  const response = await stage.verify({ ...second, code: first.code })
  return {
    tried: 'a used code in the next sign-in of its owner',
    seen: told(response),
    fell: response.status < 400,
    request: response.request,
  }
}

export async function renewal(stage: Stage): Promise<Attempted> {
  const asked = await stage.challenged(await stage.passwordGiven())
  const before = asked.agent.copy()
  await stage.verify(asked)
  if (before.cookies.size === 0) throw new NotTried('the session is not held by a cookie')
  return closed(stage, 'the cookie from before the code, after the code', [{ agent: before }])
}

export async function otherSession(stage: Stage): Promise<Attempted> {
  const owner = await stage.signedIn()
  const tried = 'the proof of one browser in another: its pages, challenge and requirement'
  const stranger = await stage.passwordGiven({ person: owner.person })
  if ((stage.options.pages ?? []).length > 0) {
    await stage.opensAny(owner)
    const pages = await closed(stage, tried, [stranger])
    if (pages.fell) return pages
  }
  const asked = await stage.challenged(await stage.passwordGiven())
  const thief = await stage.passwordGiven()
  const typed = await thief.agent.post(`${stage.path}/verify`, {
    code: asked.code,
    challenge: asked.challenge,
  })
  if (typed.status < 400)
    return { tried, seen: `foreign code: ${told(typed)}`, fell: true, request: typed.request }
  for (const action of stage.options.actions ?? []) {
    const refused = await owner.agent.send(stage.requestOf(action, owner.person))
    const { requirement } = refused.json ?? {}
    if (requirement === undefined) continue
    const taken = await thief.agent.post(`${stage.path}/start`, { requirement })
    if (taken.status < 400) {
      return { tried, seen: `foreign requirement: ${told(taken)}`, fell: true, request: taken.request }
    }
  }
  return { tried, seen: 'none of them was worth anything', fell: false }
}

/** Names under which an app may read from a request who somebody is, or where a code goes. */
const subjectNames = [
  'subject',
  'user',
  'userId',
  'user_id',
  'username',
  'name',
  'login',
  'email',
  'id',
  'account',
]
export const phoneNames = ['phone', 'phoneNumber', 'phone_number', 'mobile', 'number', 'tel', 'to']

export async function namedByRequest(stage: Stage): Promise<Attempted> {
  const visit = await stage.passwordGiven()
  const other = await stage.person()
  const all = (names: readonly string[], value: string) =>
    Object.fromEntries(names.map((name) => [name, value]))
  const { phone, ...rest } = other
  const called = Object.entries(rest).flatMap(([name, value]) => (/pass/i.test(name) ? [] : [String(value)]))
  const bodies = [...called.map((value) => all(subjectNames, value)), all(phoneNames, phone)]
  const tried = `starts with the name or the number of somebody else in body, query and headers`
  for (const fields of bodies) {
    const query = new URLSearchParams(fields)
    const headers = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [`x-${name}`.replace('_', '-'), value]),
    )
    const request = { method: 'POST', path: `${stage.path}/start?${query}`, body: fields, headers }
    const response = await visit.agent.send(request)
    if (stage.sandbox.inbox.list(phone).length === 0) continue
    return {
      tried,
      seen: `${told(response)}, and the code went there`,
      fell: true,
      request: response.request,
    }
  }
  return { tried, seen: 'no code went there', fell: false }
}

export async function sameBrowser(stage: Stage): Promise<Attempted> {
  const tried = 'the sign-in of a second person in the browser of the first'
  const first = await stage.signedIn()
  const [action] = (stage.options.actions ?? []).filter(({ stepUp }) => stepUp !== false)
  if (action !== undefined) await stage.approve(action, first)
  const messages = stage.sandbox.inbox.list(first.person.phone).length
  const second = await stage.passwordGiven({ agent: first.agent, person: await stage.person() })
  await second.agent.post(`${stage.path}/start`, {})
  if (stage.sandbox.inbox.list(first.person.phone).length > messages) {
    const request = { method: 'POST', path: `${stage.path}/start`, body: {} }
    return { tried, seen: 'the code of the second went to the first', fell: true, request }
  }
  const shown = (stage.options.pages ?? []).length > 0 ? await stage.opensAny(second) : undefined
  if (shown !== undefined) {
    return { tried, seen: `before the code of the second ${told(shown)}`, fell: true, request: shown.request }
  }
  if (action === undefined) return { tried, seen: 'nothing of the first was left', fell: false }
  const { response, isDone } = await stage.attempt(action, second, stage.requestOf(action, first.person))
  return { tried, seen: told(response), fell: isDone, request: response.request }
}

export async function signOut(stage: Stage): Promise<Attempted> {
  const { signOut: given } = stage.options
  if (given === undefined) throw new NotTried('no `signOut` was given')
  const visit = await stage.signedIn()
  const copy = visit.agent.copy()
  await perform(stage, given, visit)
  return closed(stage, 'a copy of the cookies after the sign-out', [{ agent: copy }])
}

export async function passwordChange(stage: Stage): Promise<Attempted> {
  const { changePassword } = stage.options
  if (changePassword === undefined) throw new NotTried('no `changePassword` was given')
  const other = await stage.signedIn()
  const visit = await stage.signedIn({ person: other.person })
  if ((await stage.opensAny(other)) === undefined) throw new NotTried('a second sign-in ends the first')
  await perform(stage, changePassword, visit)
  return closed(stage, 'another browser of the person after a new password', [other])
}

/** Sends what the host offers, with a code when it asks for one. */
async function perform(stage: Stage, action: RehearsalAction, visit: Visit): Promise<void> {
  if ((await stage.approve(action, visit)) === undefined) return
  const response = await visit.agent.send(stage.requestOf(action, visit.person))
  if (response.status >= 400) throw new NotTried(told(response))
}
