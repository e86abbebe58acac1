import { mustAsk, stepUpsOf } from './approval.js'
import type { RehearsalAction, RehearsalPerson } from './contract.js'
import { subjectNames } from './hostile.js'
import { namesOf } from './pages.js'
import { fieldsAgain, fieldsOf, requestWith } from './requests.js'
import type { Attack, Stage } from './stage.js'
import { fell, NotTried, told, tryEach } from './verdicts.js'

/** Does an action for another account, with a code of the attacker. */
export const actionOfAnother: Attack = {
  code: 'of-another',
  claim: 'a code of one account changes nothing in another account',
  fix: 'read the account from the session, and compare it with the owner of each record that a path or body names',
  docs: 'docs/security.md#threats-and-controls',
  async run(stage, tries) {
    const actions = stepUpsOf(stage)
    tries(
      `${actions.map(({ name }) => name).join(', ')} for another account with a code of the attacker, and by two people at the same moment`,
    )
    await tryEach(actions, (action) => doForAnother(stage, action))
    await tryEach(actions, (action) => doTogether(stage, action))
    return 'nothing was done to the other account'
  },
}

async function doForAnother(stage: Stage, action: RehearsalAction): Promise<void> {
  const { effects } = stage
  const owner = await stage.person()
  const thief = await stage.signedIn()
  const own = await effects.fieldsFor(action, thief)
  const taken = await effects.fieldsFor(action, { ...thief, person: owner })
  const [theirs, mine] = [requestWith(action, owner, taken), requestWith(action, thief.person, own)]
  const claims = namesOf(owner).map((id) => {
    const claim = Object.fromEntries(subjectNames.flatMap((name) => (name in own ? [] : [[name, id]])))
    const request = requestWith(action, thief.person, { ...own, ...claim })
    return { ...request, path: `${mine.path}?${new URLSearchParams(claim)}` }
  })
  const isOwn = JSON.stringify(theirs) === JSON.stringify(mine)
  for (const request of isOwn ? claims : [theirs, ...claims]) {
    const changed = await effects.watch(action, owner)
    await effects.approve(thief, request)
    const response = await thief.agent.send(request)
    if ((await changed()).isDone) {
      await mustBeSeparate(stage, action, owner)
      fell(response, `${told(response)} and did "${action.name}" to another account`)
    }
  }
}

/** Has two people do their action at the same moment, because an app may mix up its requests while it waits. */
async function doTogether(stage: Stage, action: RehearsalAction): Promise<void> {
  const { effects } = stage
  const prepare = async () => {
    const visit = await stage.signedIn()
    effects.adopt(visit)
    const fields = await fieldsAgain(action, visit, await mustAsk(stage, visit, action))
    const changed = await effects.watch(action, visit.person)
    const send = () => visit.agent.send(requestWith(action, visit.person, fields))
    return { changed, send }
  }
  const both = [await prepare(), await prepare()]
  const responses = await Promise.all(both.map(({ send }) => send()))
  const done: boolean[] = []
  for (const { changed } of both) done.push((await changed()).isDone)
  const lost = responses.find(({ status }, index) => status < 400 && !done[index])
  if (lost !== undefined && done.includes(true)) {
    const seen = `${told(lost)} for two people, and did "${action.name}" for only one of their accounts`
    fell(lost, seen, undefined, 'keep the user of a request in the request, not in a variable of the module')
  }
}

/** Ends the row if an action of one person changes the state of another person, too, such as a list of all actions. */
async function mustBeSeparate(stage: Stage, action: RehearsalAction, owner: RehearsalPerson): Promise<void> {
  const { effects } = stage
  const stranger = await stage.signedIn()
  const changed = await effects.watch(action, owner)
  const fields = await fieldsOf(action, stranger)
  await effects.approve(stranger, requestWith(action, stranger.person, fields))
  const again = await fieldsAgain(action, stranger, fields)
  await stranger.agent.send(requestWith(action, stranger.person, again))
  if ((await changed()).isDone) {
    throw new NotTried(
      `the state of "${action.name}" shows what others do: name a \`state\` that only the person changes`,
    )
  }
}
