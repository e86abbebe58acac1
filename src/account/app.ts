import { TwoFactorError } from '../errors.js'
import type { NewAuthenticator, OwnReply, OwnVisit } from '../index.js'
import { type Change, isWithoutWay, type Ways } from './changes.js'
import { firstWay, storedBy } from './making.js'
import type { AccountPagesOptions } from './options.js'
import { problemBody, type Reply, type RouteKit } from './route-kit.js'
import { appPage } from './views.js'

/** Typed again, the code may be right. */
const retryable: ReadonlySet<string> = new Set(['code_not_accepted', 'invalid_request'])

/** The authenticator app: set it up, remove it. */
export function addAppRoutes(
  { tf, get, post, path, mustKeep, read, make, isConfirmed, sceneOf, refusal, replyTo, change }: RouteKit,
  authenticator: NonNullable<AccountPagesOptions['authenticator']>,
): void {
  const what: Change = { kind: 'app-added' }

  /** Race: what the session alone had confirmed is worth nothing once another session has set up a way. */
  async function isProven({ req }: OwnVisit, ways: Ways): Promise<boolean> {
    const grant = await tf.grants.read(req, 'authenticator')
    return grant !== undefined && (grant.method !== firstWay || isWithoutWay(ways, mustKeep))
  }

  /** The secret to be scanned, once a code has confirmed the change; undefined where one is asked for. */
  async function begin(visit: OwnVisit): Promise<NewAuthenticator | undefined> {
    const { req, subject, session } = visit
    const ways = await read(subject)
    const begun = (await isProven(visit, ways)) && (await tf.authenticators.begin(req).catch(ifUnproven))
    if (begun) return begun
    if (!(await isConfirmed(visit, what, ways))) return undefined
    // For as long as it takes to install an app: the code was good for one request.
    const method = isWithoutWay(ways, mustKeep) ? firstWay : 'account'
    await tf.grants.write({ subject, session, purpose: 'authenticator', method })
    return tf.authenticators.begin(req)
  }

  /** The page once more, with what was wrong with the code. */
  function wrongCode(visit: OwnVisit, begun: NewAuthenticator, { status, code }: TwoFactorError): OwnReply {
    const isUnreadable = code === 'invalid_request'
    const about = isUnreadable ? 'code.unreadable.app' : 'code.wrong.app'
    const { [`${about}.title` as const]: title, [`${about}.text` as const]: text } = visit.texts
    const problem = `${title}. ${text}`
    const page = appPage(sceneOf(visit), begun, true)
    const body = problemBody(
      code,
      isUnreadable ? 'The request is invalid' : 'The code is incorrect',
      problem,
      status,
    )
    return { ...page, problem, status, address: `${path}/app`, body }
  }

  /** Confirmed too long ago, or another tab was first: there it is asked for anew, with another secret. */
  const outdated: OwnReply = {
    location: `${path}/app`,
    status: 403,
    body: problemBody('second_factor_required', 'A fresh second factor is required', undefined, 403),
  }

  /** Puts the app on file, by the first code that it shows. */
  async function confirm(visit: OwnVisit): Promise<Reply> {
    const { req, subject, fields } = visit
    const isFirst = isWithoutWay(await read(subject), mustKeep)
    const code = typeof fields.code === 'string' ? fields.code : ''
    const store = async (ways: Ways) => {
      if (!(await isProven(visit, ways))) throw new TwoFactorError('second_factor_required')
      const { secret } = await tf.authenticators.confirm(req, code)
      return storedBy(authenticator.save(subject, secret))
    }
    return replyTo(visit, what, await make(visit, what, store, 'before'), isFirst)
  }

  get('/app', async (visit) => {
    const begun = await begin(visit)
    return begun && { ...appPage(sceneOf(visit), begun), body: begun }
  })
  post('/app', async (visit) => {
    try {
      return await confirm(visit)
    } catch (error) {
      // The form was sent twice, or it was for another app, too late: the person looks which one it is.
      if (isUnproven(error)) return (await read(visit.subject)).app ? refusal(visit, 'app_on_file') : outdated
      if (!(error instanceof TwoFactorError) || !retryable.has(error.code)) throw error
      const begun = await begin(visit)
      return begun && wrongCode(visit, begun, error)
    }
  })
  post('/app/remove', (visit) => {
    return change(visit, { kind: 'app-removed' }, () => authenticator.remove(visit.subject))
  })
}

/** Nothing has been confirmed yet, or too long ago. */
const isUnproven = (error: unknown): boolean =>
  error instanceof TwoFactorError && error.code === 'second_factor_required'

/** Nothing, where there is no proof yet; whatever else went wrong is thrown on. */
function ifUnproven(error: unknown): undefined {
  if (!isUnproven(error)) throw error
}
