import { optionError } from '../../../lib/options.js'
import type { Fields, RehearsalPerson } from './contract.js'
import { phoneNames } from './hostile.js'
import { fieldsOf, requestOf } from './requests.js'
import type { Attack, Stage } from './stage.js'
import { fell, lacking, refusalOf, refused, told, unlessRefused } from './verdicts.js'
import type { Challenged, Visit } from './visit.js'

/** Attacks on the opening of accounts. */
export const attacksOnSignUps: readonly Attack[] = [
  {
    code: 'sign-up',
    claim: 'an account gets the number that its owner verified',
    fix: 'put requireProof() before the handler, and store req.provenPhone.phone',
    docs: 'docs/reference.md#phone-verification',
    async run(stage, tries) {
      const { proven, open } = signUpsOf(stage)
      tries(
        'accounts without a verified number, with one that was used, also in parallel, and with the number of another person',
      )
      const owner = await proven()
      const opened = await open(owner)
      if (opened.status >= 400) throw refused(opened, 'no account could be opened')
      const nobody = await stage.newcomer()
      const unproven = await open(nobody)
      if (await isOpen(stage, nobody))
        fell(unproven, `${told(unproven)} and opened an account without a verified number`)
      const second = await stage.newcomer()
      const again = await open({ ...second, agent: owner.agent })
      if (await isOpen(stage, second))
        fell(again, `${told(again)} and opened a second account with one verification`)
      if (!(await rings(stage, owner.person, owner.person)))
        throw refused(opened, 'no code went to the new account')

      const { agent } = await proven()
      const hasty = await Promise.all([1, 2, 3].map(async () => ({ ...(await stage.newcomer()), agent })))
      const responses = await Promise.all(hasty.map((one) => open(one)))
      let accounts = 0
      for (const one of hasty) accounts += Number(await isOpen(stage, one))
      const last = responses.at(-1)
      if (accounts > 1 && last !== undefined) {
        fell(
          last,
          `${accounts} parallel requests opened accounts with one verification`,
          undefined,
          howToRedeem,
        )
      }

      const victim = await stage.person()
      const thief = await proven()
      const before = await stage.messagesTo(victim)
      const forged = await open(thief, Object.fromEntries(phoneNames.map((name) => [name, victim.phone])))
      await isOpen(stage, thief)
      if ((await stage.messagesTo(victim)) > before) {
        fell(forged, 'the account has the number of another person')
      }
      return 'each account has a verified number, and every code went to its owner'
    },
  },
  {
    code: 'taken-name',
    claim: 'a sign-up under a taken name does not take over the account',
    fix: 'refuse a taken name by a unique index in your database, on the name in the form by which the sign-in finds it',
    docs: 'docs/reference.md#phone-verification',
    async run(stage, tries) {
      const { account, nameField, proven, open } = signUpsOf(stage)
      if (nameField === undefined) throw lacking('signUp.nameField')
      tries('an account under a taken name, also in capitals')
      for (const notationOf of [(name: unknown) => name, (name: unknown) => String(name).toUpperCase()]) {
        const usurper = await proven()
        const victim = await stage.person()
        const { [nameField]: name } = await fieldsOf(account, { ...usurper, person: victim })
        // The app would refuse a body without the name for its form, regardless of its rule for names.
        if (name === undefined)
          throw optionError(`rehearse: signUp.nameField: the body of signUp.account has no "${nameField}"`)
        const notation = notationOf(name)
        const taken = await open(usurper, { [nameField]: notation })
        if (!(await staysWith(stage, victim, usurper.person))) {
          fell(taken, `${told(taken)} for the name "${notation}", and the owner lost the account`)
        }
      }
      const opened = await open(await proven())
      if (opened.status >= 400) throw refused(opened, 'no account could be opened under a free name')
      return 'each account stayed with its owner'
    },
  },
]

const howToRedeem =
  'put requireProof() before the handler, or await redeem() or redeemWith() before the account is saved: proven() does not use the verification up'

/** Returns how this plan opens accounts. */
function signUpsOf(stage: Stage) {
  const { path, account, nameField } = stage.given('signUp')
  return {
    account,
    nameField,
    async proven(): Promise<Challenged> {
      const visit = await stage.newcomer()
      return stage.codeGiven(visit, { phone: visit.person.phone }, path)
    },
    open: async (visit: Visit, over: Fields = {}) => visit.agent.send(await requestOf(account, visit, over)),
  }
}

/** Returns whether a person can sign in with a password, up to the code. */
async function isOpen(stage: Stage, { person }: Visit): Promise<boolean> {
  const visit = await unlessRefused(stage.passwordGiven({ person }))
  const started = await visit?.agent.post(`${stage.path}/start`, {})
  return started !== undefined && started.json?.code !== 'not_identified'
}

/** Returns whether a sign-in by one person sends a message to the phone of another. */
async function rings(stage: Stage, person: RehearsalPerson, other: RehearsalPerson): Promise<boolean> {
  const before = await stage.messagesTo(other)
  const { agent } = await stage.passwordGiven({ person })
  await agent.post(`${stage.path}/start`, {})
  return (await stage.messagesTo(other)) > before
}

/** Returns whether the owner's password still works, and no other phone gets the code. */
async function staysWith(stage: Stage, owner: RehearsalPerson, other: RehearsalPerson): Promise<boolean> {
  const [own, others] = [await stage.messagesTo(owner), await stage.messagesTo(other)]
  const visit = await stage.passwordGiven({ person: owner }).catch((error) => {
    if (![400, 401, 403, 404, 422].includes(refusalOf(error)?.status ?? 0)) throw error
  })
  const started = await visit?.agent.post(`${stage.path}/start`, {})
  if (started === undefined || started.status === 401 || (await stage.messagesTo(other)) > others)
    return false
  if ((await stage.messagesTo(owner)) === own) throw refused(started, 'no code went to the owner')
  return true
}
