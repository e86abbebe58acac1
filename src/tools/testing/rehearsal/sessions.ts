import { stepsUp } from './actions.js'
import type { Agent } from './agent.js'
import type { RehearsalAction } from './contract.js'
import { phoneNames, subjectNames } from './hostile.js'
import { type Attack, fell, NotTried, type Stage, told, type Visit } from './stage.js'

/** What keeps one person, browser and sign-in apart from another. */
export const attacksOnSessions: readonly Attack[] = [
  {
    code: 'password-only',
    claim: 'a password alone shows no page',
    fix: 'put tf.requireTwoFactor() before the route, and set the signed-in user in onVerified only',
    docs: 'docs/api.md#the-guard',
    async run(stage, tries) {
      tries(`${stage.pages.join(', ')}: by nobody and by a password alone`)
      await closed(stage, stage.agent())
      const { agent } = await stage.passwordGiven()
      return closed(stage, agent)
    },
  },
  {
    code: 'replay',
    claim: 'a used code is worth nothing',
    fix: 'let the routes of the package check every code',
    docs: 'docs/security.md#threats-and-controls',
    async run(stage, tries) {
      tries('a used code in the next sign-in of its owner')
      const first = await stage.challenged(await stage.passwordGiven())
      await stage.verify(first)
      const second = await stage.challenged(await stage.passwordGiven({ person: first.person }))
      const response = await stage.verify({ ...second, code: first.code })
      if (response.status < 400) fell(response)
      return told(response)
    },
  },
  {
    code: 'session-renewal',
    claim: 'the session id from before the code is worth nothing after it',
    fix: 'let rotate() of the session adapter give the session a new id that the cookie carries, and end the old one',
    docs: 'docs/sessions.md#other-session-libraries',
    async run(stage, tries) {
      tries('the cookie from before the code, after the code')
      const asked = await stage.challenged(await stage.passwordGiven())
      const agent = asked.agent.copy()
      await stage.verify(asked)
      if (agent.cookies.size === 0) throw new NotTried('the session is not held by a cookie')
      return closed(stage, agent)
    },
  },
  {
    code: 'other-session',
    claim: 'a proof is worth nothing in another browser, or to another person',
    fix: 'ask tf.requireTwoFactor() or tf.grants.read(req) about each request, in place of a note about the account',
    docs: 'docs/api.md#grants',
    async run(stage, tries) {
      tries('the proof of one browser in another: its pages, challenge, destinations and requirement')
      const owner = await stage.signedIn()
      const stranger = await stage.passwordGiven({ person: owner.person })
      await stage.shownPage(owner.agent)
      const shown = await stage.shownPage(stranger.agent)
      if (shown !== undefined) fell(shown)
      const asked = await stage.challenged(await stage.passwordGiven())
      const thief = await stage.passwordGiven()
      const typed = await stage.verify({ ...asked, agent: thief.agent })
      if (typed.status < 400) fell(typed, `foreign code: ${told(typed)}`)
      const { destinations = [] } = (await asked.agent.get(stage.path)).json ?? {}
      for (const { id } of destinations) {
        const sent = await thief.agent.post(`${stage.path}/start`, { destination: id })
        if (sent.status < 400) fell(sent, `foreign destination: ${told(sent)}`)
      }
      for (const action of stage.options.actions ?? []) {
        const refused = await owner.agent.send(stage.requestOf(action, owner))
        const { requirement } = refused.json ?? {}
        if (requirement === undefined) continue
        const taken = await thief.agent.post(`${stage.path}/start`, { requirement })
        if (taken.status < 400) fell(taken, `foreign requirement: ${told(taken)}`)
      }
      return 'none of them was worth anything'
    },
  },
  {
    code: 'named-by-request',
    claim: 'no request names who signs in, or where the code goes',
    fix: 'read subject from the session and phone from your database, never from body, query or headers',
    docs: 'docs/security.md#threats-and-controls',
    async run(stage, tries) {
      tries('starts with the name or the number of somebody else in body, query and headers')
      const visit = await stage.passwordGiven()
      const other = await stage.person()
      const all = (names: readonly string[], value: string) =>
        Object.fromEntries(names.map((name) => [name, value]))
      const { phone, ...rest } = other
      const called = Object.entries(rest).flatMap(([name, value]) =>
        /pass/i.test(name) ? [] : [String(value)],
      )
      for (const fields of [...called.map((value) => all(subjectNames, value)), all(phoneNames, phone)]) {
        const headers = Object.fromEntries(
          Object.entries(fields).map(([name, value]) => [`x-${name}`.replace('_', '-'), value]),
        )
        const path = `${stage.path}/start?${new URLSearchParams(fields)}`
        const response = await visit.agent.send({ method: 'POST', path, body: fields, headers })
        if ((await stage.messagesTo(other)) > 0) fell(response, `${told(response)}, and the code went there`)
      }
      return 'no code went there'
    },
  },
  {
    code: 'same-browser',
    claim: 'what one person proved is worth nothing to the next in the same browser',
    fix: 'let subject and handlers name the same person: req.session.pendingUserId ?? req.session.userId',
    docs: 'docs/sessions.md#express-session',
    async run(stage, tries) {
      tries('the sign-in of a second person in the browser of the first')
      const first = await stage.signedIn()
      const action = stage.options.actions?.find(stepsUp)
      if (action !== undefined) await stage.approve(action, first)
      const messages = await stage.messagesTo(first.person)
      const second = await stage.passwordGiven({ agent: first.agent })
      const started = await second.agent.post(`${stage.path}/start`, {})
      if ((await stage.messagesTo(first.person)) > messages) {
        fell(started, 'the code of the second went to the first')
      }
      const shown = await stage.shownPage(second.agent)
      if (shown !== undefined) fell(shown, `before the code of the second ${told(shown)}`)
      if (action === undefined) return 'nothing of the first was left'
      const { response, isDone } = await stage.attempt(action, second, stage.requestOf(action, first))
      if (isDone) fell(response)
      return told(response)
    },
  },
  {
    code: 'sign-out',
    claim: 'a sign-out ends what was proven',
    fix: 'await tf.grants.revoke(req), then destroy the session; to clear the cookie ends nothing',
    docs: 'docs/sessions.md#logout',
    async run(stage, tries) {
      const { signOut: given } = stage.options
      if (given === undefined) throw new NotTried('no `signOut` was given')
      tries('a copy of the cookies after the sign-out')
      const visit = await stage.signedIn()
      const agent = visit.agent.copy()
      await perform(stage, given, visit)
      return closed(stage, agent)
    },
  },
  {
    code: 'password-change',
    claim: 'a new password ends every other session',
    fix: 'await tf.subjects.revokeEverything(subject) after a new password',
    docs: 'docs/sessions.md#logout',
    async run(stage, tries) {
      const { changePassword } = stage.options
      if (changePassword === undefined) throw new NotTried('no `changePassword` was given')
      tries('another browser of the person after a new password')
      const other = await stage.signedIn()
      const visit = await stage.signedIn({ person: other.person })
      if ((await stage.shownPage(other.agent)) === undefined)
        throw new NotTried('a second sign-in ends the first')
      await perform(stage, changePassword, visit)
      return closed(stage, other.agent)
    },
  },
]

/** Sees that no page is shown in this browser. */
async function closed(stage: Stage, agent: Agent): Promise<string> {
  if (stage.pages.length === 0) throw new NotTried('no `pages` were given')
  const shown = await stage.shownPage(agent)
  if (shown !== undefined) fell(shown)
  return 'no page was shown'
}

/** Sends what the host offers, with a code when it asks for one. */
async function perform(stage: Stage, action: RehearsalAction, visit: Visit): Promise<void> {
  if ((await stage.approve(action, visit)) === undefined) return
  const response = await visit.agent.send(stage.requestOf(action, visit))
  if (response.status >= 400) throw new NotTried(told(response))
}
