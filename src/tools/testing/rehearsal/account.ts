import type { Fields } from './contract.js'
import { subjectNames } from './hostile.js'
import { formOf, isSuccess } from './requests.js'
import type { Attack, Stage } from './stage.js'
import { fell, refused, told } from './verdicts.js'
import type { Visit } from './visit.js'
import type { RehearsalResponse } from './wire.js'

type Change = readonly [way: string, fields: Fields]

/** Returns the changes that `accountPages` offers, below its mount. */
const changesOf = (number: string, passkey: string): readonly Change[] => [
  ['/numbers/add', {}],
  ['/numbers/first', { number }],
  ['/numbers/remove', { number }],
  ['/app/remove', {}],
  ['/passkeys', { passkey: '{}' }],
  ['/passkeys/rename', { passkey, name: 'Rehearsal' }],
  ['/passkeys/remove', { passkey }],
  ['/recovery-codes', {}],
  ['/devices/end', { device: 'one' }],
  ['/devices/end-all', {}],
  ['/sign-out', {}],
]

const isMade = ({ json }: RehearsalResponse) => json?.changed !== undefined

/** Returns the settings page of a person. */
async function settingsOf({ agent }: Visit, mount: string): Promise<RehearsalResponse> {
  const response = await agent.get(mount)
  if (!isSuccess(response) || !Array.isArray(response.json?.numbers)) throw refused(response)
  return response
}

/** Returns the factors on file without their last use, because each entered code changes it. */
const onFile = ({ json }: RehearsalResponse): string =>
  JSON.stringify(json, (name, value) => (/^(app)?usedAt$/i.test(name) ? undefined : value))

/** Returns a signed-in person, their settings, and a change that leaves them a factor. */
async function settled(stage: Stage, mount: string) {
  const visit = await stage.signedIn()
  const settings = await settingsOf(visit, mount)
  const [first, second] = settings.json.numbers
  const [passkey] = settings.json.passkeys ?? []
  const own: Change =
    second === undefined ? ['/sign-out', {}] : ['/numbers/remove', { number: String(second.id) }]
  return { visit, before: onFile(settings), changes: changesOf(String(first?.id), String(passkey?.id)), own }
}

/** Enters the code that a change requires, without making the change. */
const confirm = (stage: Stage, visit: Visit, mount: string, [way, body]: Change) =>
  stage.effects.approve(visit, { method: 'POST', path: mount + way, body })

const make = ({ agent }: Visit, mount: string, [way, fields]: Change) => agent.post(mount + way, fields)

/** Attacks on the pages of `accountPages`, as this app mounts and stores them. */
export const attacksOnAccounts: readonly Attack[] = [
  {
    code: 'account-without-code',
    claim:
      'no account settings are shown without a code, and no change in them is made without a code for it',
    fix: 'mount accountPages behind tf.requireTwoFactor(); make these changes through the routes of accountPages only; let phone, authenticator.secretOf and the passkeys return the factors on file, as numbers.list and authenticator.has do, and recoveryCodes.remaining the number of unused codes: an account with none of these sets up its first factor without a code',
    docs: 'docs/account.md#the-first-factor',
    async run(stage, tries) {
      const mount = stage.given('account')
      tries(
        'each change without a code, with the code for another change, and after the verification of a new number',
      )
      const { visit, before, changes, own } = await settled(stage, mount)
      const newcomer = { agent: visit.agent, person: await stage.person() }
      const asked = await stage.challenged(newcomer, { phone: newcomer.person.phone }, `${mount}/number`)
      const proven = await stage.verify(asked, `${mount}/number`)
      if (!isSuccess(proven)) throw refused(proven, 'no number could be verified')

      const attempt = async (whose: Visit, some = changes) => {
        for (const change of some) {
          const response = await make(whose, mount, change)
          if (isMade(response)) fell(response)
        }
      }
      const password = await stage.passwordGiven({ person: visit.person })
      for (const stranger of [{ ...visit, agent: stage.agent() }, password]) {
        const page = await stranger.agent.get(mount)
        if (isSuccess(page) && Array.isArray(page.json?.numbers))
          fell(page, `${told(page)} and showed the settings`)
        await attempt(stranger)
      }
      await attempt(visit)
      await confirm(stage, visit, mount, own)
      const others = changes.filter((change) => JSON.stringify(change) !== JSON.stringify(own))
      await attempt(visit, others)
      const after = await settingsOf(visit, mount)
      if (onFile(after) !== before) fell(after, 'the settings have changed')
      const made = await make(visit, mount, own)
      if (!isMade(made)) throw refused(made, 'the change was not made with its code')
      return `no change was made, and with its code ${told(made)}`
    },
  },
  {
    code: 'account-of-another',
    claim: 'no person changes the account settings of another person',
    fix: 'let save and remove store under the subject that they receive, and read no subject from the request',
    docs: 'docs/account.md#save-a-change',
    async run(stage, tries) {
      const mount = stage.given('account')
      tries('a change that names another person, and a change with the code of another session')
      const { visit: owner, before, own } = await settled(stage, mount)
      const thief = await settled(stage, mount)
      const names = Object.values(owner.person).map(String)
      for (const name of names) {
        const [way, fields] = thief.own
        const forged = { ...Object.fromEntries(subjectNames.map((member) => [member, name])), ...fields }
        const response = await thief.visit.agent.post(`${mount}${way}?${formOf(forged)}`, forged)
        if (isMade(response)) fell(response)
      }
      await confirm(stage, thief.visit, mount, thief.own)
      const [way, fields] = thief.own
      const made = await make(thief.visit, mount, [way, { subject: names[0] ?? '', ...fields }])
      if (!isMade(made)) throw refused(made, 'a change was not made with its code')
      const after = await owner.agent.get(mount)
      if (onFile(after) !== before) fell(after, 'the change of one account was made in another')

      const second = await stage.passwordGiven({ person: owner.person })
      await confirm(stage, owner, mount, own)
      const taken = await make(second, mount, own)
      if (isMade(taken)) fell(taken, `by the code of another session: ${told(taken)}`)
      const last = await make(owner, mount, own)
      if (!isMade(last)) throw refused(last, 'the owner could not make the change')
      return 'each owner made the change, in the session of the code'
    },
  },
]
