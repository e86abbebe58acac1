import { createHmac } from 'node:crypto'
import { TwoFactorError } from '../errors.js'
import type { OwnAct, RouteContext } from '../index.js'
import { browserLabel } from '../lib/browser-label.js'
import { hostFunction, isOfHost } from '../lib/host-function.js'
import { readObjectField } from '../lib/json.js'
import { passkeyOfferOf } from '../lib/passkey-offer.js'
import { readName } from '../lib/typed.js'
import type { Passkeys } from '../passkeys/index.js'
import { type AccountChangeRequest, boundTo, type Factors, objectionTo } from './changes.js'
import { confirmedChange, firstWay, noPasskey, passkeyGone } from './making.js'
import { returnPath } from './marks.js'
import { riskOf } from './overview-page.js'
import { afterOfferPage, newPasskeyPage, passkeyNamePage, passkeyOfferPage } from './pages.js'
import { pathAfterCode } from './path-after-code.js'
import { type AccountResult, problemBody, type RouteKit } from './route-kit.js'

/** Nothing has been confirmed yet, or too long ago. */
const notConfirmed = 'second_factor_required'

/** Adds the routes that create, rename and remove passkeys. */
export function addPasskeyRoutes(
  {
    tf,
    settings,
    get,
    post,
    changes,
    path,
    read,
    isConfirmed,
    isFirst,
    pageContextOf,
    alreadySo,
    refusal,
    change,
  }: RouteKit,
  passkeys: Passkeys,
): void {
  const { purpose } = settings
  const what: AccountChangeRequest = { kind: 'passkey-added' }
  const accountOf = hostFunction(settings.label)
  /** The fields of the grant that lets this session create a passkey. It ends when the stored factors change. */
  const creating = (factors: Factors) => ({ ...boundTo(what, factors), kind: 'passkey-creating' })

  /** Returns the grant of a code whose page named the change. A grant of the session is enough for a first factor only. */
  async function findGrant({ req }: RouteContext, factors: Factors) {
    const grant = await tf.grants.read(req, purpose, creating(factors))
    const isEnough = grant?.method === confirmedChange || (grant?.method === firstWay && isFirst(factors))
    return isEnough ? grant : undefined
  }

  /** Only this session can answer it, until the next code. */
  const challengeOf = ({ subject, session }: RouteContext, { verifiedAt }: { readonly verifiedAt: number }) =>
    createHmac('sha256', session).update(`passkey ${verifiedAt} ${subject}`).digest('base64url')

  /** Responds with the options for the browser after a code has confirmed the change. */
  async function begin(visit: RouteContext, respond: (publicKey: object) => AccountResult) {
    const { req, subject, session } = visit
    const factors = await read(subject)
    const objection = objectionTo(what, factors, settings.mustKeep)
    if (objection !== undefined) return refusal(visit, objection)
    let grant = await findGrant(visit, factors)
    if (grant === undefined) {
      if (!(await isConfirmed(visit, what, factors))) return undefined
      const method = isFirst(factors) ? firstWay : confirmedChange
      grant = await tf.grants.write({ subject, session, purpose, bound: creating(factors), method })
    }
    const account: unknown = await accountOf(req, subject)
    if (typeof account !== 'string') throw new TypeError('accountPages: label must return a string')
    return respond(await passkeys.creationOptions(subject, { challenge: challengeOf(visit, grant), account }))
  }

  get('/passkeys/new', (visit) =>
    begin(visit, (publicKey) => ({
      ...newPasskeyPage(pageContextOf(visit), publicKey),
      body: { publicKey },
    })),
  )
  post('/passkeys/start', (visit) =>
    begin(visit, (publicKey) => ({ location: pathAfterCode(path, visit, what), body: { publicKey } })),
  )
  post('/passkeys', async (visit) => {
    const { req, subject, fields } = visit
    const label = browserLabel(req) ?? visit.appName
    let challenge = ''
    const confirm = async (factors: Factors) => {
      const grant = await findGrant(visit, factors)
      if (grant === undefined) throw new TwoFactorError(notConfirmed)
      challenge = challengeOf(visit, grant)
      return true
    }
    const store = async () => {
      const response = readObjectField(fields.passkey)
      return (await passkeys.create(subject, { challenge, response, label })) !== undefined || noPasskey
    }
    const returnTo = returnPath(visit)
    const show =
      returnTo === undefined
        ? undefined
        : () => ({
            ...afterOfferPage(pageContextOf(visit), returnTo),
            address: path,
            body: { changed: what.kind },
          })
    try {
      return await change(visit, what, store, { confirm, show })
    } catch (error) {
      if (!(error instanceof TwoFactorError) || isOfHost(error) || error.code !== notConfirmed) throw error
      // Confirmed too long ago, or the form was sent twice.
      const body = problemBody(error.code, 'A fresh second factor is required', undefined, error.status)
      return { location: visit.returnTo ?? path, status: error.status, body }
    }
  })

  /** Offers a passkey after a sign-in, unless the account has a safer factor than numbers. */
  const offer: OwnAct = async (visit) => {
    const returnTo = returnPath(visit) ?? `${visit.prefix}/`
    const isSignedIn = (await tf.grants.read(visit.req, 'login')) !== undefined
    // An error must not stop the sign-in. The account pages report it.
    const risk = isSignedIn ? await read(visit.subject).then(riskOf, () => undefined) : undefined
    if (risk === undefined) return { location: returnTo.slice(visit.prefix.length), body: {} }
    return { ...passkeyOfferPage(pageContextOf(visit), returnTo), body: { risk } }
  }
  if (settings.offerPasskey) passkeyOfferOf.get(tf)?.(tf.ownRoute('GET', offer))

  /** Returns the stored passkey that a form names. */
  const findPasskey = async ({ subject, fields }: RouteContext) =>
    (await read(subject)).passkeys?.find(({ id }) => id === fields.passkey)

  changes('/passkeys/rename', async (visit) => {
    const passkey = await findPasskey(visit)
    const { name: typed } = visit.fields
    if (passkey === undefined)
      return visit.fields.passkey === undefined ? alreadySo : refusal(visit, passkeyGone)
    const name = typeof typed === 'string' ? readName(typed) : ''
    if (name === '')
      return { ...passkeyNamePage(pageContextOf(visit), passkey), address: path, body: { passkey } }
    if (name === passkey.label) return alreadySo
    const store = async () => (await passkeys.rename(visit.subject, passkey.id, name)) || passkeyGone
    return change(visit, { kind: 'passkey-renamed', passkey, name }, store)
  })
  changes('/passkeys/remove', async (visit) => {
    const passkey = await findPasskey(visit)
    if (passkey === undefined) return alreadySo
    const store = () => passkeys.remove(visit.subject, passkey.id)
    return change(visit, { kind: 'passkey-removed', passkey }, store)
  })
}
