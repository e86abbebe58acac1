import { wrongCode } from '../wrong-code.js'
import { names, stepsUp } from './actions.js'
import { type Attack, Fell, fell, NotTried, told } from './stage.js'

const signInFix = {
  fix: 'let signIn send what the app reads: agent.post(path, { … }) posts JSON, agent.post(path, new URLSearchParams({ … })) a form',
  docs: 'docs/sandbox.md#rehearse-an-attack',
}

/** As it is meant: always tried, and first, for the others are judged by what these show. */
export const asMeant: readonly [Attack, ...Attack[]] = [
  /** Password, a wrong code, the right one: as it is meant, and proof that the sandbox is that of the app. */
  {
    code: 'sign-in',
    claim: 'the right code signs in, and a wrong one does not',
    fix: 'mount one session before tf.routes() and every guard, and let the app send its codes through this sandbox',
    docs: 'docs/sessions.md#order-of-mounting',
    async run(stage, tries) {
      tries('a password, a wrong code, the right one')
      const visit = await stage.passwordGiven()
      const password = stage.ear.heard.at(-1)
      const asked = await stage.challenged(visit).catch((error) => {
        const why = error instanceof NotTried ? error.message : 'no code arrived in the sandbox that is held'
        const seen = password === undefined ? why : `${told(password)}, and then ${why}`
        if (password !== undefined && password.status >= 400)
          throw new Fell(seen, password.request, signInFix)
        throw new Fell(seen, { method: 'POST', path: `${stage.path}/start`, body: {} })
      })
      const wrong = await stage.verify({ ...asked, code: wrongCode(asked.code) })
      if (wrong.status < 400) fell(wrong, `wrong code: ${told(wrong)}`)
      const right = await stage.verify(asked)
      if (right.status !== 200) fell(right)
      for (const page of stage.pages) {
        const response = await visit.agent.get(page)
        if (response.status >= 300) fell(response, `after the right code ${told(response)}`)
      }
      return 'the right code alone let somebody in'
    },
  },
  /** Once as it is meant: later rows know by it what it looks like when something was done. */
  {
    code: 'confirmed-action',
    claim: 'after its code an action is done',
    fix: 'mount the parser before the guard, and routes() behind the same session: app.post(path, express.json(), tf.requireTwoFactor({ … }), handler)',
    docs: 'docs/sessions.md#order-of-mounting',
    async run(stage, tries) {
      tries(`${names(stage.actions())}, each with the code that it asked for`)
      for (const action of stage.actions()) {
        const visit = await stage.signedIn()
        const request = stage.requestOf(action, visit)
        if (stepsUp(action)) {
          await stage.approve(action, visit).catch((error) => {
            throw error instanceof NotTried ? new Fell(error.message, request) : error
          })
        }
        const response = await visit.agent.send(request)
        if (response.status >= 400) fell(response)
        stage.rememberDone(action, response)
      }
      return 'done'
    },
  },
]
