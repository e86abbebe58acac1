import type { Request, RequestHandler, Response, Router } from 'express'
import type { ProvenPhone } from '../../challenge/proofs/phone-verifications.js'
import { allNumbers } from '../../challenge/reach/destinations.js'
import { TwoFactorError } from '../../errors.js'
import { present } from '../../lib/json.js'
import { refuseOtherMount } from '../../lib/mount.js'
import { type Checks, mountPath } from '../../lib/options.js'
import { type Awaitable, ignoreRejection } from '../../lib/promises.js'
import { whenGone } from '../../lib/when-gone.js'
import { maskPhoneNumber, readNumberOnFile } from '../../phone-number.js'
import { isOurs, middleware } from '../host/boundary.js'
import { type Problem, problemOf } from '../http/problems.js'
import { createRouter, factory, sitePath, startChecks } from '../http/routes.js'
import type { HttpParts } from '../http-parts.js'
import type { PageView } from '../pages/page-view.js'
import { createRoutes } from './routes.js'
import { createSignup } from './signup.js'

/** Options of `phoneVerification`. */
export interface PhoneVerificationOptions {
  /** Purpose of the codes. Default: `signup`. */
  readonly purpose?: string
  /** Path of this site after success, if the request names no `returnTo`. Default: `/`. */
  readonly successPath?: string
  /**
   * Path of its routes. The page of a refused request links there. Without it, its page links home, and its JSON has
   * no `startUrl`.
   *
   * @example
   * const signup = tf.phoneVerification({ path: '/signup/phone', successPath: '/signup' })
   */
  readonly path?: string
  /** Path of this site that its first page links back to, instead of the link `home`. */
  readonly backPath?: string
}

export const verificationChecks: Checks<PhoneVerificationOptions> = {
  ...startChecks,
  path: mountPath,
  backPath: sitePath,
}

/** Routes that verify a number which is not on file: at sign-up, or for a change of number. */
export interface PhoneVerification {
  /**
   * Returns all routes. Mount them at a path of your choice.
   *
   * @example
   * app.use('/signup/phone', signup.routes())
   */
  routes(): Router
  /** Returns `POST /start` as a single handler: it sends a code to the number in the body. */
  start(): RequestHandler
  /**
   * Returns the verified number, once, in the session that verified it. Without one it rejects with a TwoFactorError
   * `second_factor_required`. With Express 4, which handles no rejected promise of a handler, use `requireProof()`.
   *
   * @example
   * app.post('/signup', async (req, res) => {
   *   const { phone } = await signup.redeem(req)
   *   await users.create({ email: req.body.email, phone })
   *   res.redirect('/welcome')
   * })
   */
  redeem(req: Request): Promise<ProvenPhone>
  /**
   * Passes the verified number to `save`, and restores the verification if `save` throws or returns false.
   *
   * In these cases nothing may have been saved, and no change is reported. Resolves with the result of `save`. Rejects
   * with its error, and like `redeem`.
   *
   * @example
   * app.post('/number', async (req, res) => {
   *   await newNumber.redeemWith(req, ({ phone }) => users.setPhone(req.session.user, phone))
   *   res.redirect('/settings')
   * })
   */
  redeemWith<Saved>(req: Request, save: (proof: ProvenPhone) => Awaitable<Saved>): Promise<Saved>
  /**
   * Returns the verified number without redeeming it, or undefined. If this request redeems a number afterwards, it is
   * this one or none.
   *
   * Use it with a guard that requires a code before the number is used: `bind` and `describe` receive `req`, so store
   * the number there first.
   *
   * @example
   * const readNumber: RequestHandler = (req, res, next) => {
   *   newNumber.proven(req).then((proven) => {
   *     req.provenPhone = proven
   *     proven === undefined ? res.redirect('/number/code') : next()
   *   }, next)
   * }
   */
  proven(req: Request): Promise<ProvenPhone | undefined>
  /**
   * Returns `redeem` as middleware. It sets `req.provenPhone`, or responds with 403. A response of 4xx restores the
   * verification.
   *
   * The 403 is `second_factor_required`, as a page for a browser. A refused form is sent again without another code. A
   * 5xx does not show whether the number was saved, so the verification is used up and the change is reported:
   * otherwise one code would count for any number of accounts whose form fails afterwards. If you know that nothing was
   * saved, respond with 4xx, or use `redeemWith`.
   *
   * @example
   * app.post('/signup', signup.requireProof(), async (req, res) => {
   *   if (await users.has(req.body.email)) return res.status(409).render('signup', { taken: true })
   *   await users.create({ email: req.body.email, phone: req.provenPhone?.phone })
   *   res.redirect('/welcome')
   * })
   */
  requireProof(): RequestHandler
}

declare global {
  namespace Express {
    interface Request {
      /** Set by `requireProof`. */
      provenPhone?: ProvenPhone | undefined
    }
  }
}

/** Creates one phone verification with its own routes and pages. */
export function createPhoneVerification(
  http: HttpParts,
  { purpose = 'signup', successPath, path, backPath }: PhoneVerificationOptions,
): PhoneVerification {
  const { domain, subjectOf, sessions, renewal, pages, responder, sitePaths } = http
  const { phoneVerifications, purposes, emit } = domain
  purposes.forEnrolment(purpose)
  renewal.takeNumbers()
  const { handlers, views } = createRoutes(http, createSignup(http, { purpose, successPath, backPath }))
  const mount = sitePaths.fromApp(path)
  const returned = new WeakMap<Request, ProvenPhone | undefined>()

  async function proven(req: Request): Promise<ProvenPhone | undefined> {
    await sessions.open(req)
    const session = sessions.find(req)
    const subject = subjectOf(req)
    const proof = session === undefined ? undefined : await phoneVerifications.peek(session, purpose, subject)
    returned.set(req, proof)
    return proof
  }

  /**
   * Returns whether the number is the one that `proven` returned: another one could be verified between the guard and
   * its use (race).
   */
  function isReturned(req: Request, { phone, verifiedAt }: ProvenPhone): boolean {
    const before = returned.get(req)
    return !returned.has(req) || (before?.phone === phone && before.verifiedAt === verifiedAt)
  }

  async function take(req: Request) {
    await sessions.open(req)
    const subject = subjectOf(req)
    const fits = (proof: ProvenPhone) => isReturned(req, proof)
    const taken = await phoneVerifications.take(sessions.idOf(req), purpose, subject, fits)
    if (taken === undefined) throw new TwoFactorError('second_factor_required')
    const reportChange = subject === undefined ? undefined : await changeOf(req, subject, taken.proof)
    return { ...taken, reportChange: () => reportChange?.() }
  }

  async function redeem(req: Request): Promise<ProvenPhone> {
    const { proof, reportChange } = await take(req)
    reportChange()
    return proof
  }

  async function redeemWith<Saved>(
    req: Request,
    save: (proof: ProvenPhone) => Awaitable<Saved>,
  ): Promise<Saved> {
    const { proof, giveBack, reportChange } = await take(req)
    let saved: Saved | false = false
    try {
      saved = await save(proof)
      return saved
    } finally {
      // The result or error of `save` stands. A verification that cannot be restored is used up.
      if (saved === false) await giveBack().catch(() => undefined)
      else reportChange()
    }
  }

  /** Redeems the number. A refused form (4xx) restores it for the next one; any other response has used it up. */
  async function redeemUnlessRefused(req: Request, res: Response): Promise<ProvenPhone> {
    const { proof, giveBack, reportChange } = await take(req)
    // Also after a disconnect, because the app makes the change anyway.
    whenGone(req)(() => {
      const isRefused = res.statusCode >= 400 && res.statusCode < 500
      if (isRefused) ignoreRejection(giveBack())
      else reportChange()
    })
    return proof
  }

  /**
   * Returns the function that reports a change of number. Called before the app has the new number. Its failure must
   * not prevent the use of the number.
   */
  async function changeOf(req: Request, subject: string, { phone }: ProvenPhone): Promise<() => void> {
    const before = await http.numbersOf(req, subject).catch(() => ({}))
    const read = await Promise.all(
      allNumbers(before).map((number) => readNumberOnFile(number, http.settings.countries)),
    )
    const onFile = read.filter((one) => one !== undefined)
    if (onFile.some((one) => one === phone)) return () => undefined
    const [first] = onFile
    const replaced = first !== undefined && { before: maskPhoneNumber(first) }
    return () =>
      emit({ type: 'factor.changed', kind: 'phone', subject, ...replaced, after: maskPhoneNumber(phone) })
  }

  /**
   * Creates the page of a refusal. The route belongs to the app, so files and form use the mount of the package's
   * routes.
   */
  async function refusal(req: Request, res: Response, problem: Problem): Promise<PageView> {
    const basePath = mount ?? http.path
    const view = await views.formless({ req, res, fields: present({ returnTo: mount }) }, problem)
    return { ...view, basePath, address: req.method === 'POST' ? mount : undefined }
  }

  return {
    routes: factory('routes', {}, () =>
      createRouter(handlers, pages, path === undefined ? undefined : refuseOtherMount(path)),
    ),
    start: factory('start', {}, () => handlers.start()),
    proven,
    redeem,
    redeemWith,
    requireProof: factory('requireProof', {}, () =>
      middleware(async (req, res) => {
        try {
          req.provenPhone = await redeemUnlessRefused(req, res)
          return true
        } catch (error) {
          if (!isOurs(error)) throw error
          const problem: Problem = {
            ...problemOf(error),
            page: 'phone',
            ...(mount && { startUrl: `${mount}/start` }),
          }
          await responder.send(req, res, { reply: 'problem', problem }, () => refusal(req, res, problem))
          return false
        }
      }),
    ),
  }
}
