import type { RehearsalPerson } from './contract.js'
import { phoneNames } from './sessions.js'
import { type Attempted, NotTried, type Stage, told, type Visit } from './stage.js'

export async function signUp(stage: Stage): Promise<Attempted> {
  const { signUp: given } = stage.options
  if (given === undefined) throw new NotTried('no `signUp` was given')
  const { path, account, nameField } = given
  const tried =
    'accounts without a proof, with a used one, with the number of somebody else, under a taken name'
  let people = 0
  const newcomer = async () => {
    people += 1
    return given.newcomer(people)
  }
  const open = (visit: Visit, over = {}) => visit.agent.send(stage.requestOf(account, visit.person, over))
  const proven = async (person: RehearsalPerson) => {
    const visit = { agent: stage.agent(), person }
    const asked = await stage.challenged(visit, { phone: person.phone }, path)
    const response = await stage.verify(asked, path)
    if (response.status !== 200) throw new NotTried(`no number could be proven: ${told(response)}`)
    return visit
  }

  const unproven = await open({ agent: stage.agent(), person: await newcomer() })
  if (unproven.status < 400)
    return { tried, seen: `without a proof ${told(unproven)}`, fell: true, request: unproven.request }

  const victim = await stage.person()
  const messages = () => stage.sandbox.inbox.list(victim.phone).length
  const thief = await proven(await newcomer())
  const opened = await open(thief, Object.fromEntries(phoneNames.map((name) => [name, victim.phone])))
  if (opened.status >= 400) throw new NotTried(`no account could be opened: ${told(opened)}`)
  const again = await open({ agent: thief.agent, person: await newcomer() })
  if (again.status < 400)
    return {
      tried,
      seen: `a second account for one proof: ${told(again)}`,
      fell: true,
      request: again.request,
    }
  await startsFor(stage, thief.person)
  if (messages() > 0) {
    return { tried, seen: 'the account has the number of somebody else', fell: true, request: opened.request }
  }

  if (nameField !== undefined) {
    const usurper = await proven(await newcomer())
    const taken = { [nameField]: String((victim as unknown as Record<string, unknown>)[nameField]) }
    const response = await open(usurper, taken)
    const before = stage.sandbox.inbox.list(usurper.person.phone).length
    await startsFor(stage, victim)
    if (stage.sandbox.inbox.list(usurper.person.phone).length > before) {
      return {
        tried,
        seen: `the number of a taken account was replaced: ${told(response)}`,
        fell: true,
        request: response.request,
      }
    }
  }
  return { tried, seen: 'none was opened, and every code went to its owner', fell: false }
}

/** Signs somebody in as far as a code. Refused is fine: what counts is whose phone rings. */
async function startsFor(stage: Stage, person: RehearsalPerson): Promise<void> {
  const { agent } = await stage.passwordGiven({ person })
  await agent.post(`${stage.path}/start`, {})
}
