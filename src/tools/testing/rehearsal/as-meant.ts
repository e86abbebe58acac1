import { wrongCode } from '../wrong-code.js'
import { codeOf } from './diagnosis.js'
import { isSuccess, pathFor } from './requests.js'
import type { Attack } from './stage.js'
import { Fell, fell, lacking, NotTried, refusalOf, refused, told, tryEach } from './verdicts.js'

/** A regular sign-in and regular actions: other rows prove nothing without them. */
export const asMeant: readonly [Attack, ...Attack[]] = [
  /** Also proves that the app uses this sandbox. */
  {
    code: 'sign-in',
    claim: 'a correct code signs in, and a wrong code does not',
    fix: 'mount one session before tf.routes() and every guard, and let the app send its codes through this sandbox',
    docs: 'docs/guide.md#order-of-mounting',
    async run(stage, tries) {
      tries('a password, a wrong code, the correct code')
      const faults = (await stage.sandbox.faults.list()).filter(({ fault }) => fault.phone === undefined)
      if (faults.length > 0) {
        const kinds = faults.map(({ fault: { operation = 'all', kind } }) => `${kind} of ${operation}`)
        throw new NotTried(`the sandbox still has faults: ${kinds.join(', ')}`)
      }
      const visit = await stage.passwordGiven().catch((error) => {
        const refusal = refusalOf(error)
        throw refusal?.status === 400 || refusal?.status === 401 ? refused(refusal, howToPost) : error
      })
      const password = visit.agent.answers.at(-1)
      const asked = await stage.challenged(visit).catch((error) => {
        const refusal = refusalOf(error)
        if (refusal !== undefined && codeOf(refusal) === 'destination_not_allowed') {
          throw new NotTried(`${told(refusal)} for ${visit.person.phone}: ${howToAllow}`)
        }
        const why = error instanceof NotTried ? error.message : 'no code arrived in this sandbox'
        const seen = password === undefined ? why : `${told(password)}, and then ${why}`
        throw new Fell(seen, { method: 'POST', path: `${stage.path}/start`, body: {} })
      })
      const wrong = await stage.verify({ ...asked, code: wrongCode(asked.code) })
      if (wrong.status < 400) fell(wrong, `wrong code: ${told(wrong)}`, undefined, howToCheck, ofProviders)
      const right = await stage.verify(asked)
      // `onVerified` may respond with a redirect of its own.
      const isUnrenewed = codeOf(right) === 'session_unavailable'
      if (right.status >= 400)
        throw new Fell(told(right), right.request, undefined, isUnrenewed ? howToRenew : undefined)
      for (const page of stage.paths) {
        const response = await visit.agent.get(pathFor(page, visit.person))
        if (isSuccess(response)) continue
        if (response.json?.code === 'not_identified' || response.json?.code === 'second_factor_required') {
          fell(response, `after the correct code ${told(response)}`)
        }
        throw refused(response, 'after the correct code, a page of the plan')
      }
      return 'only the correct code signed a person in'
    },
  },
  /** Also shows the effect of each action. */
  {
    code: 'confirmed-action',
    claim: 'an action is done after its code',
    fix: 'mount the parser before the guard, and routes() behind the same session: app.post(path, express.json(), tf.requireTwoFactor({ … }), handler)',
    docs: 'docs/guide.md#order-of-mounting',
    async run(stage, tries) {
      const { actions = [] } = stage.options
      if (actions.length === 0) throw lacking('actions')
      tries(`${actions.map(({ name }) => `"${name}"`).join(', ')}, each with the code that it required`)
      await tryEach(actions, stage.effects.knownOf)
      return 'each was done'
    },
  },
]

const howToAllow =
  'let `person` return numbers of a country that `countries` of the app allows, or allow their country'
const howToCheck =
  'let only the routes of the package check codes, and let checkCode of your provider return "approved" for the documented status of a correct code only: the HTTP status 200 also comes with wrong codes'
const ofProviders = 'docs/providers.md#your-own-provider'
const howToRenew = 'let regenerate() of the session adapter give the session a new id, and save() store it'
const howToPost =
  'let signIn send the type that the app reads: agent.post(path, { … }) posts JSON, agent.post(path, new URLSearchParams({ … })) posts a form'
