import { type Agent, leavesSite } from './agent.js'
import type { Fields } from './contract.js'
import { wayNames, waysOut } from './hostile.js'
import { formOf } from './requests.js'
import type { Attack, Stage } from './stage.js'
import { fell, refused, told, unlessRefused } from './verdicts.js'

export const returnTo: Attack = {
  code: 'return-to',
  claim: 'no sign-in leads to another site',
  fix: 'redirect to known paths only, and let only the routes of the package read returnTo',
  docs: 'docs/reference.md#where-success-leads',
  async run(stage, tries) {
    const ways = waysOut.slice(0, stage.many(waysOut.length, 3))
    tries(`sign-ins with a returnTo of another site, in ${ways.length} spellings`)
    // An app with strict body checks reads no field of the body, but may read the query.
    const done = (await signInsBy(stage, ways, withFields)) || (await signInsBy(stage, ways))
    // An app that admits no sign-in has not been tested.
    if (done === 0) await stage.signedIn()
    return `no redirect left the site, and ${ways.length - done} sign-ins were refused`
  },
}

/** Signs in once for each exit, in the query and, by `inBody`, in bodies. Resolves with the number of sign-ins. */
async function signInsBy(
  stage: Stage,
  ways: readonly string[],
  inBody: typeof withFields = (body) => body,
): Promise<number> {
  let done = 0
  for (const way of ways) {
    const fields = Object.fromEntries(wayNames.map((name) => [name, way]))
    const agent = stage.agent({
      alter: ({ path, body, ...rest }) => ({
        ...rest,
        path: `${path}${path.includes('?') ? '&' : '?'}${formOf(fields)}`,
        body: inBody(body, fields),
      }),
    })
    // A refused sign-in leads to no other site.
    done += (await unlessRefused(signInLedBy(stage, agent))) ?? 0
    const left = agent.answers.find((answer) => leavesSite(answer, stage.origin))
    if (left !== undefined) fell(left, `${told(left)}, to ${left.headers.location}`)
  }
  return done
}

async function signInLedBy(stage: Stage, agent: Agent): Promise<1> {
  const { code, challenge } = await stage.challenged(await stage.passwordGiven({ agent }))
  const form = formOf({ code, challenge })
  const verified = await agent.post(`${stage.path}/verify`, form, { accept: 'text/html' })
  if (verified.status >= 400) throw refused(verified)
  await agent.follow(verified)
  return 1
}

function withFields(body: unknown, fields: Fields): unknown {
  if (body instanceof URLSearchParams) return formOf({ ...Object.fromEntries(body), ...fields })
  return typeof body === 'object' && body !== null ? { ...body, ...fields } : body
}
