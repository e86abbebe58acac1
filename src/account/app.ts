import { type ProblemCode, TwoFactorError } from '../errors.js'
import type { NewAuthenticator, RouteContext } from '../index.js'
import { hostFunction, isOfHost } from '../lib/host-function.js'
import type { AccountChangeRequest, Factors } from './changes.js'
import { confirmedChange, firstWay } from './making.js'
import type { AccountPagesOptions } from './options.js'
import { appPage } from './pages.js'
import { type AccountResult, problemBody, type RouteKit } from './route-kit.js'

type Fault = 'wrong' | 'unreadable'

/** Faults of a code that may be correct when it is entered again: the text for the user and the title for programs. */
const retryable: Partial<Record<ProblemCode, readonly [Fault, string]>> = {
  code_not_accepted: ['wrong', 'The code is incorrect'],
  invalid_request: ['unreadable', 'The request is invalid'],
}

/** Nothing has been confirmed yet, or too long ago. */
const notConfirmed = 'second_factor_required'

/** Adds the routes that set up and remove the authenticator app. */
export function addAppRoutes(
  { tf, get, post, changes, path, read, isConfirmed, isFirst, pageContextOf, refusal, change }: RouteKit,
  authenticator: NonNullable<AccountPagesOptions['authenticator']>,
): void {
  const what: AccountChangeRequest = { kind: 'app-added' }
  const save = hostFunction((subject: string, secret: string) => authenticator.save(subject, secret))
  const remove = hostFunction((subject: string) => authenticator.remove(subject))

  /**
   * Returns whether the app may be set up. Only a code whose page named the change allows it, never a code for the bare
   * purpose (crossing). A grant of the session is not enough after another session has set up a factor (race).
   */
  async function isProven({ req }: RouteContext, factors: Factors): Promise<boolean> {
    const method = (await tf.grants.read(req, 'authenticator'))?.method
    return method === confirmedChange || (method === firstWay && isFirst(factors))
  }

  /** Creates the secret to scan after a code has confirmed the change. Undefined if a code is required first. */
  async function begin(visit: RouteContext): Promise<NewAuthenticator | undefined> {
    const { req, subject, session } = visit
    const factors = await read(subject)
    const pairing = (await isProven(visit, factors)) && (await tf.authenticators.begin(req).catch(ifUnproven))
    if (pairing) return pairing
    if (!(await isConfirmed(visit, what, factors))) return undefined
    // Valid for as long as it takes to install an app. The code was valid for one request.
    const method = isFirst(factors) ? firstWay : confirmedChange
    await tf.grants.write({ subject, session, purpose: 'authenticator', method })
    return tf.authenticators.begin(req)
  }

  /** Returns the response if the app was not stored. */
  async function failure(visit: RouteContext, error: unknown): Promise<AccountResult> {
    if (!(error instanceof TwoFactorError) || isOfHost(error)) throw error
    const { code, status } = error
    if (code === notConfirmed) {
      // The form was sent twice, or too late for another app. The user checks which app is on file.
      if ((await read(visit.subject)).app) return refusal(visit, 'app_on_file')
      // Confirmed too long ago, or another tab was faster: the page requires a code again and shows another secret.
      const body = problemBody(code, 'A fresh second factor is required', undefined, status)
      return { location: `${path}/app`, status, body }
    }
    const [kind, title] = retryable[code] ?? []
    if (kind === undefined || title === undefined) throw error
    const pairing = await begin(visit)
    if (pairing === undefined) return undefined
    const page = failedPage(visit, pairing, kind)
    const body = problemBody(code, title, page.problem, status)
    return { ...page, status, address: `${path}/app`, body }
  }

  function failedPage(visit: RouteContext, pairing: NewAuthenticator, kind: Fault) {
    const { texts } = visit
    const problem = `${texts[`code.${kind}.app.title`]}. ${texts[`code.${kind}.app.text`]}`
    return { ...appPage(pageContextOf(visit), pairing, kind), problem }
  }

  get('/app', async (visit) => {
    const pairing = await begin(visit)
    if (pairing === undefined) return undefined
    // After a reload the page shows again why the last code failed.
    const { wrong } = visit.fields
    const isFailed = wrong === 'wrong' || wrong === 'unreadable'
    const page = isFailed ? failedPage(visit, pairing, wrong) : appPage(pageContextOf(visit), pairing)
    return { ...page, body: pairing }
  })
  post('/app/start', async (visit) => {
    const pairing = await begin(visit)
    return pairing && { location: `${path}/app`, body: pairing }
  })
  // Stores the app after its first correct code.
  post('/app', (visit) => {
    const { req, subject, fields } = visit
    const code = typeof fields.code === 'string' ? fields.code : ''
    const confirm = async (factors: Factors) => {
      if (await isProven(visit, factors)) return true
      throw new TwoFactorError(notConfirmed)
    }
    const store = async () => save(subject, (await tf.authenticators.confirm(req, code)).secret)
    return change(visit, what, store, { confirm }).catch((error: unknown) => failure(visit, error))
  })
  changes('/app/remove', (visit) => change(visit, { kind: 'app-removed' }, () => remove(visit.subject)))
}

/** Returns undefined if nothing was confirmed, and throws any other error. */
function ifUnproven(error: unknown): undefined {
  if (!(error instanceof TwoFactorError && error.code === notConfirmed)) throw error
}
