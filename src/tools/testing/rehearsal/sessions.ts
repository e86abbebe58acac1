import type { RehearsalAction } from './contract.js'
import { mustNeedCookies } from './cookies.js'
import { stepsUp } from './effects.js'
import { phoneNames, subjectNames } from './hostile.js'
import { type Sight, showsName, withNames } from './pages.js'
import { requestOf, requestWith, requirementIn } from './requests.js'
import type { Attack, Stage } from './stage.js'
import { Fell, fell, NotTried, refused, told, unlessRefused } from './verdicts.js'
import type { Visit } from './visit.js'
import type { RehearsalResponse } from './wire.js'

const ofNumber =
  'let checkCode of your provider approve a code only for the number, or the handle, to which it was sent'

/** Attacks on the separation of people, browsers and sign-ins. */
export const attacksOnSessions: readonly Attack[] = [
  {
    code: 'session-renewal',
    claim: 'the session id from before the code is invalid after it',
    fix: 'let regenerate() of the session adapter give the session a new id, send it in the cookie, and end the old session',
    docs: 'docs/sessions.md#other-session-libraries',
    async run(stage, tries) {
      tries('the old cookie after the code')
      const asked = await stage.challenged(await stage.passwordGiven())
      const agent = asked.agent.copy()
      await stage.admitted(asked)
      await mustNeedCookies(stage, asked)
      return stage.mustHide(await stage.look({ ...asked, agent }), await stage.lookIn(asked))
    },
  },
  {
    code: 'other-session',
    claim: 'a verification counts only in its own browser and for its own person',
    fix: 'check each request with tf.requireTwoFactor() or tf.grants.read(req), not with a flag of the account',
    docs: 'docs/reference.md#your-own-factor',
    async run(stage, tries) {
      tries(
        'the verification of one browser in another browser: its pages, challenge, destinations and requirement',
      )
      const owner = await stage.signedIn()
      const stranger = await stage.passwordGiven({ person: owner.person })
      if (stage.paths.length > 0) {
        const within = await stage.lookIn(owner)
        await stage.mustHide(await stage.look(stranger), within)
      }
      const asked = await stage.challenged(await stage.passwordGiven())
      const thief = await stage.challenged(await stage.passwordGiven())
      const typed = await stage.verify({ ...asked, agent: thief.agent })
      if (typed.status < 400) fell(typed, `foreign code: ${told(typed)}`)
      if (thief.code !== asked.code) {
        const own = await stage.verify({ ...asked, code: thief.code })
        if (own.status < 400)
          throw new Fell(`code of another person: ${told(own)}`, own.request, undefined, ofNumber)
      }
      const { destinations = [] } = (await asked.agent.get(stage.path)).json ?? {}
      for (const { id } of destinations) {
        const sent = await thief.agent.post(`${stage.path}/start`, { destination: id })
        if (sent.status < 400) fell(sent, `foreign destination: ${told(sent)}`)
      }
      for (const action of (stage.options.actions ?? []).filter(stepsUp)) {
        const requirement = requirementIn(await owner.agent.send(await requestOf(action, owner)))
        if (requirement === undefined) continue
        const taken = await thief.agent.post(`${stage.path}/start`, { requirement })
        if (taken.status < 400) fell(taken, `foreign requirement: ${told(taken)}`)
      }
      await stage.admitted(asked)
      await stage.admitted(thief)
      return 'each was accepted only from its own browser and person'
    },
  },
  {
    code: 'named-by-request',
    claim: 'no request chooses the user who signs in, or the number of the code',
    fix: 'read subject from the session and phone from your database, never from body, query or headers',
    docs: 'docs/security.md#threats-and-controls',
    async run(stage, tries) {
      tries('starts with the name or number of another person in body, query and headers')
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
      await stage.codeGiven(visit)
      return 'every code went to the person who had entered the password'
    },
  },
  {
    code: 'same-browser',
    claim: 'the verification of one person does not count for the next person in the same browser',
    fix: 'let subject and handlers use the same user: req.session.pendingUserId ?? req.session.userId; remove what your session keeps of the first user, such as a flag or a copy of the account; let a cookie of your own, such as one that remembers a browser, name its user, and compare it with the user who signs in',
    docs: 'docs/sessions.md#express-session',
    async run(stage, tries) {
      tries('the sign-in of a second person in the browser of the first person, and their pages')
      const { effects } = stage
      const action = await approvable(stage)
      const people = [await stage.person(), await stage.person()] as const
      // The state of these actions is read in other browsers, which sign in first.
      const changes =
        action === undefined
          ? []
          : [await effects.watch(action, people[0]), await effects.watch(action, people[1])]
      const first = await stage.signedIn({ person: people[0] })
      if (action !== undefined) await effects.approve(first, await requestOf(action, first))
      const messages = await stage.messagesTo(first.person)
      const named = (await (stage.paths.length > 0 ? stage.lookIn(first) : [])).map((sight) =>
        withNames(sight, people[0], people[1], []),
      )
      const next = { agent: first.agent, person: people[1] }
      const second = await unlessRefused(stage.passwordGiven(next))
      if (second === undefined) {
        const why = 'the app refuses a second sign-in in the same session'
        throw new NotTried(why, { lacks: 'a second sign-in in the same session' })
      }
      const started = await second.agent.post(`${stage.path}/start`, {})
      if ((await stage.messagesTo(first.person)) > messages) {
        fell(started, 'the code of the second person went to the first person')
      }
      const seen = stage.paths.length > 0 ? await stage.look(second) : []
      if (action !== undefined) {
        // The first person may already have done the action.
        for (const changed of changes) await changed()
        for (const person of people) {
          const whose = { agent: second.agent, person }
          const response = await second.agent.send(
            requestWith(action, person, await effects.fieldsFor(action, whose)),
          )
          for (const changed of changes) {
            if ((await changed()).isDone) fell(response, `${told(response)} and did "${action.name}"`)
          }
        }
      }
      await stage.codeGiven(second)
      if (seen.length > 0) {
        await stage.mustHide(seen, await stage.lookIn(second))
        await mustForget(stage, second, named)
      }
      return 'no verification of the first person was left, and the second person needed a code'
    },
  },
  {
    code: 'sign-out',
    claim: 'a sign-out ends the verification',
    fix: 'await tf.grants.revoke(req), then destroy the session; it is not enough to clear the cookie or to remove the user from the session; let no other cookie replace a code, unless it names its user and the server can end it',
    docs: 'docs/sessions.md#logout',
    async run(stage, tries) {
      const signOut = stage.given('signOut')
      tries('a copy of the cookies after the sign-out, and a new password entry in that browser')
      const visit = await stage.signedIn()
      const within = await stage.lookIn(visit)
      const copy = visit.agent.copy()
      mustSucceed(await stage.carryOut(signOut, visit))
      await stage.mustHide(await stage.look({ ...visit, agent: copy }), within)
      await stage.passwordGiven(visit)
      await stage.mustHide(await stage.look(visit), within)
      await stage.codeGiven(visit)
      return 'no page was shown before a new code'
    },
  },
  {
    code: 'password-change',
    claim: 'a new password ends every other session',
    fix: 'await tf.subjects.revokeEverything(subject) after a new password',
    docs: 'docs/sessions.md#logout',
    async run(stage, tries) {
      const changePassword = stage.given('changePassword')
      tries('another browser of the person after a new password')
      const other = await stage.signedIn()
      const within = await stage.lookIn(other)
      const visit = await stage.signedIn({ person: other.person })
      const [still] = await stage.look(other)
      if ((await stage.firstShown(still === undefined ? [] : [still], within)) === undefined) {
        throw new NotTried('a second sign-in ends the first', { lacks: 'two sessions of one person' })
      }
      mustSucceed(await stage.carryOut(changePassword, visit))
      return stage.mustHide(await stage.look(other), within)
    },
  },
]

/** Returns the first action with a visible effect. */
async function approvable({
  effects,
  options: { actions = [] },
}: Stage): Promise<RehearsalAction | undefined> {
  for (const action of actions.filter(stepsUp)) {
    if ((await effects.knownOf(action).catch(() => undefined)) !== undefined) return action
  }
  return undefined
}

/** Ends the attack if a person reads a name of the person before, and does not in a browser of their own. */
async function mustForget(stage: Stage, second: Visit, named: readonly Sight[]): Promise<void> {
  const seen = await stage.look(second)
  const own = await stage.look(await stage.signedIn({ person: second.person }))
  const page = seen.find((response, index) => {
    const [sight, mine] = [named[index], own[index]]
    return sight !== undefined && mine !== undefined && showsName(response, sight) && !showsName(mine, sight)
  })
  if (page !== undefined) fell(page, `${told(page)} and showed the second person the page of the first`)
}

function mustSucceed(response: RehearsalResponse): void {
  if (response.status >= 400) throw refused(response)
}
