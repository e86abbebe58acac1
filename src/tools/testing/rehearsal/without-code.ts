import { type Target, targetsOf } from './requesters.js'
import type { Attack, Stage } from './stage.js'
import { type VariantKind, variantKinds } from './variants.js'
import { lacking, tryEach } from './verdicts.js'

async function attackEach(targets: readonly Target[], kind?: VariantKind): Promise<string> {
  let count = 0
  await tryEach(targets, async (target) => {
    count += await vary(target, kind)
  })
  return `none of ${count} requests succeeded`
}

/**
 * Sends the variants of each requester's request. A target without any protection ends the attack: the row of the plain
 * request reports it.
 */
async function vary(target: Target, kind?: VariantKind): Promise<number> {
  await target.plain()
  const attempts = await target.attempts()
  let count = attempts.length
  for (const { needsName = false, tryAll } of attempts) {
    if (kind === undefined || (needsName && !kind.namesOwner)) continue
    count += await tryAll(({ request, fields, names }) => kind.of(request, fields, names))
  }
  return count
}

function plainRow(kind: Target['kind'], row: Omit<Attack, 'run'>): Attack {
  return {
    ...row,
    async run(stage, tries) {
      const targets = targetsOf(stage).filter((target) => target.kind === kind)
      if (targets.length === 0) throw lacking(kind)
      tries(`${namesOf(targets)}: without an account, with a password only, and without a code for it`)
      const seen = await attackEach(targets)
      if (kind === 'pages') await mustStayOut(stage)
      return seen
    },
  }
}

/** Ends the attack if a person who leaves the code page is signed in. */
async function mustStayOut(stage: Stage): Promise<void> {
  const owner = await stage.signedIn()
  const within = await stage.lookIn(owner)
  const { agent } = await stage.challenged(await stage.passwordGiven({ person: owner.person }))
  await agent.post(`${stage.path}/cancel`)
  stage.mustHide(await stage.look({ ...owner, agent }), within)
}

const namesOf = (targets: readonly Target[]) => targets.map(({ name }) => `"${name}"`).join(', ')

/** Attacks on actions and pages by requesters without permission. */
export const attacksWithoutCode: readonly Attack[] = [
  plainRow('pages', {
    code: 'password-only',
    claim: 'no page is shown without a code',
    fix: 'put tf.requireTwoFactor() before the route and before a cache, and set the signed-in user in onVerified only; with tokenSession, return the id of the sign-in, not of the user',
    docs: 'docs/reference.md#the-guard',
  }),
  plainRow('actions', {
    code: 'without-code',
    claim: 'no action is done without a code',
    fix: 'put tf.requireTwoFactor({ … }) between parser and handler: app.post(path, parser, guard, handler)',
    docs: 'docs/reference.md#the-guard',
  }),
  ...variantKinds.map(
    (kind): Attack => ({
      ...kind,
      run(stage, tries) {
        tries(`variants of ${namesOf(targetsOf(stage))}`)
        return attackEach(targetsOf(stage), kind)
      },
    }),
  ),
]
