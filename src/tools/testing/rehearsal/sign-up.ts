import type { RehearsalPerson } from './contract.js'
import { doneBy, looksDone, requestOf } from './deeds.js'
import { phoneNames } from './hostile.js'
import type { Attack, Stage } from './stage.js'
import { fell, refused, told } from './verdicts.js'
import type { Visit } from './visit.js'

export const signUp: Attack = {
  code: 'sign-up',
  claim: 'an account gets the number that its owner proved, and no taken name',
  fix: 'put requireProof() before the handler, take req.provenPhone.phone, and refuse a name that is taken',
  docs: 'docs/reference.md#phone-verification',
  async run(stage, tries) {
    const given = stage.given('signUp')
    const { path, account, nameField } = given
    tries('accounts without a proof, with a used one, with the number of somebody else, under a taken name')
    let people = 0
    const newcomer = async (): Promise<Visit> => {
      people += 1
      return { agent: stage.agent(), person: await given.newcomer(people) }
    }
    const open = (visit: Visit, over = {}) => visit.agent.send(requestOf(account, visit, over))
    const proven = async () => {
      const visit = await newcomer()
      return stage.codeGiven(visit, { phone: visit.person.phone }, path)
    }

    const owner = await proven()
    const opened = await open(owner)
    if (opened.status >= 400) throw refused(opened, 'no account could be opened')
    const isOpened = doneBy(requestOf(account, owner), opened, owner)
    const unproven = await open(await newcomer())
    if (looksDone(unproven, isOpened)) fell(unproven, `without a proof ${told(unproven)}`)
    const again = await open({ ...(await newcomer()), agent: owner.agent })
    if (looksDone(again, isOpened)) fell(again, `a second account for one proof: ${told(again)}`)
    if (!(await rings(stage, owner.person, owner.person)))
      throw refused(opened, 'no code went to the new account')

    const victim = await stage.person()
    const thief = await proven()
    const forged = await open(thief, Object.fromEntries(phoneNames.map((name) => [name, victim.phone])))
    if (looksDone(forged, isOpened) && (await rings(stage, thief.person, victim))) {
      fell(forged, 'the account has the number of somebody else')
    }

    if (nameField !== undefined) {
      const usurper = await proven()
      const response = await open(usurper, { [nameField]: Reflect.get(victim, nameField) })
      if (await rings(stage, victim, usurper.person)) {
        fell(response, `the number of a taken account was replaced: ${told(response)}`)
      }
    }
    return 'none was opened but with a proof, and every code went to its owner'
  },
}

/** Whether a sign-in by one person makes the phone of another ring. */
async function rings(stage: Stage, person: RehearsalPerson, other: RehearsalPerson): Promise<boolean> {
  const before = await stage.messagesTo(other)
  const { agent } = await stage.passwordGiven({ person })
  await agent.post(`${stage.path}/start`, {})
  return (await stage.messagesTo(other)) > before
}
