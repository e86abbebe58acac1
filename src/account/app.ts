import { type ProblemCode, TwoFactorError } from '../errors.js'
import type { NewAuthenticator, RouteContext } from '../index.js'
import { hostFunction, isOfHost } from '../lib/host-function.js'
import type { AccountChangeRequest, Factors } from './changes.js'
import { confirmedChange, firstWay } from './making.js'
import type { AccountPagesOptions } from './options.js'
import { appPage } from './pages.js'
import { type AccountResult, problemBody, type RouteKit } from './route-kit.js'

type Fault = 'wrong' | 'unreadable'

/** What may be wrong with a code that may be right when it is typed again: the text for the person, the title for programs. */
const retryable: Partial<Record<ProblemCode, readonly [Fault, string]>> = {
  code_not_accepted: ['wrong', 'The code is incorrect'],
  invalid_request: ['unreadable', 'The request is invalid'],
}

/** Nothing has been confirmed yet, or too long ago. */
const unproven = 'second_factor_required'

/** The authenticator app: set it up, remove it. */
export function addAppRoutes(
  { tf, get, post, changes, path, read, isConfirmed, isFirst, sceneOf, refusal, change }: RouteKit,
  authenticator: NonNullable<AccountPagesOptions['authenticator']>,
): void {
  const what: AccountChangeRequest = { kind: 'app-added' }
  const save = hostFunction((subject: string, secret: string) => authenticator.save(subject, secret))
  const remove = hostFunction((subject: string) => authenticator.remove(subject))

  /**
   * Crossing: only a code whose page named the change sets up an app, never a code for the bare purpose.
   * Race: a grant of the session alone admits nothing once another session has set up a factor.
   */
  async function isProven({ req }: RouteContext, factors: Factors): Promise<boolean> {
    const method = (await tf.grants.read(req, 'authenticator'))?.method
    return method === confirmedChange || (method === firstWay && isFirst(factors))
  }

  /** The secret to be scanned, once a code has confirmed the change; undefined where one is asked for. */
  async function begin(visit: RouteContext): Promise<NewAuthenticator | undefined> {
    const { req, subject, session } = visit
    const factors = await read(subject)
    const begun = (await isProven(visit, factors)) && (await tf.authenticators.begin(req).catch(ifUnproven))
    if (begun) return begun
    if (!(await isConfirmed(visit, what, factors))) return undefined
    // For as long as it takes to install an app: the code was good for one request.
    const method = isFirst(factors) ? firstWay : confirmedChange
    await tf.grants.write({ subject, session, purpose: 'authenticator', method })
    return tf.authenticators.begin(req)
  }

  /** What is said where the app was not put on file. */
  async function failure(visit: RouteContext, error: unknown): Promise<AccountResult> {
    if (!(error instanceof TwoFactorError) || isOfHost(error)) throw error
    const { code, status } = error
    if (code === unproven) {
      // The form was sent twice, or it was for another app, too late: the person looks which one it is.
      if ((await read(visit.subject)).app) return refusal(visit, 'app_on_file')
      // Confirmed too long ago, or another tab was first: there it is asked for anew, with another secret.
      const body = problemBody(code, 'A fresh second factor is required', undefined, status)
      return { location: `${path}/app`, status, body }
    }
    const [kind, title] = retryable[code] ?? []
    if (kind === undefined || title === undefined) throw error
    const begun = await begin(visit)
    if (begun === undefined) return undefined
    const page = failedPage(visit, begun, kind)
    const body = problemBody(code, title, page.problem, status)
    return { ...page, status, address: `${path}/app`, body }
  }

  function failedPage(visit: RouteContext, begun: NewAuthenticator, kind: Fault) {
    const { texts } = visit
    const problem = `${texts[`code.${kind}.app.title`]}. ${texts[`code.${kind}.app.text`]}`
    return { ...appPage(sceneOf(visit), begun, kind), problem }
  }

  get('/app', async (visit) => {
    const begun = await begin(visit)
    if (begun === undefined) return undefined
    // After a reload the page shows again why the last code failed.
    const { wrong } = visit.fields
    const isFailed = wrong === 'wrong' || wrong === 'unreadable'
    const page = isFailed ? failedPage(visit, begun, wrong) : appPage(sceneOf(visit), begun)
    return { ...page, body: begun }
  })
  post('/app/start', async (visit) => {
    const begun = await begin(visit)
    return begun && { location: `${path}/app`, body: begun }
  })
  // Puts the app on file, by the first code that it shows.
  post('/app', (visit) => {
    const { req, subject, fields } = visit
    const code = typeof fields.code === 'string' ? fields.code : ''
    const confirm = async (factors: Factors) => {
      if (await isProven(visit, factors)) return true
      throw new TwoFactorError(unproven)
    }
    const store = async () => save(subject, (await tf.authenticators.confirm(req, code)).secret)
    return change(visit, what, store, { confirm }).catch((error: unknown) => failure(visit, error))
  })
  changes('/app/remove', (visit) => change(visit, { kind: 'app-removed' }, () => remove(visit.subject)))
}

/** Nothing, where there is no proof yet; whatever else went wrong is thrown on. */
function ifUnproven(error: unknown): undefined {
  if (!(error instanceof TwoFactorError && error.code === unproven)) throw error
}
