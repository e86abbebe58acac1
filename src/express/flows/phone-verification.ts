import type { Request, RequestHandler, Response, Router } from 'express'
import type { ProvenPhone } from '../../challenge/proofs/phone-verifications.js'
import { allNumbers } from '../../challenge/reach/destinations.js'
import { TwoFactorError } from '../../errors.js'
import { present } from '../../lib/json.js'
import { type Checks, mountPath } from '../../lib/options.js'
import { type Awaitable, ignoreRejection } from '../../lib/promises.js'
import { whenGone } from '../../lib/when-gone.js'
import { maskPhoneNumber, parsePhoneNumber } from '../../phone-number.js'
import { isOurs, middleware } from '../host/boundary.js'
import { type Problem, problemOf } from '../http/problems.js'
import { createRouter, factory, sitePath, startChecks } from '../http/routes.js'
import type { HttpParts } from '../http-parts.js'
import type { PageView } from '../pages/page-view.js'
import { createRoutes } from './routes.js'
import { createSignup } from './signup.js'

/** Options of `phoneVerification`. */
export interface PhoneVerificationOptions {
  /** Default `signup`. */
  readonly purpose?: string
  /** Where success leads when the request names no `returnTo`: a path of this site. Default `/`. */
  readonly successPath?: string
  /**
   * Where its routes are mounted, as `path` of `twoFactor()`: that is where `requireProof` leads whoever it refuses.
   * Without it, its page leads home, and its JSON has no `startUrl`.
   *
   * @example
   * const signup = tf.phoneVerification({ path: '/signup/phone', successPath: '/signup' })
   */
  readonly path?: string
  /** Where its first page leads back to, in place of the link `home`: a path of this site. */
  readonly backPath?: string
}

export const verificationChecks: Checks<PhoneVerificationOptions> = {
  ...startChecks,
  path: mountPath,
  backPath: sitePath,
}

/** Routes that prove a number not on file yet: at signup, at a change of number. */
export interface PhoneVerification {
  /**
   * All routes, to be mounted at a path of your choice.
   *
   * @example
   * app.use('/signup/phone', signup.routes())
   */
  routes(): Router
  /** `POST /start` as a single handler: sends a code to the number in the body. */
  start(): RequestHandler
  /**
   * Hands out the proven number, once, in the session that proved it. Rejects with a TwoFactorError
   * `second_factor_required` when there is none.
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
   * Hands the proven number to `save`, and gives the proof back where that throws or returns false.
   *
   * So nothing may have been saved then, and no change is told. Resolves with what `save` returns; rejects with what it
   * throws, and like `redeem`.
   *
   * @example
   * app.post('/number', async (req, res) => {
   *   await newNumber.redeemWith(req, ({ phone }) => users.setPhone(req.session.user, phone))
   *   res.redirect('/settings')
   * })
   */
  redeemWith<Saved>(req: Request, save: (proof: ProvenPhone) => Awaitable<Saved>): Promise<Saved>
  /**
   * The proven number without redeeming it, or undefined. What this request redeems afterwards is this very number, or
   * nothing.
   *
   * For a guard that asks for a code before the number is used: `bind` and `describe` are called with `req`, so put it
   * there first.
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
   * `redeem` as a middleware: sets `req.provenPhone`, or responds with 403 itself; a response of 4xx gives the proof
   * back.
   *
   * The 403 is `second_factor_required`, as a page where a browser asks for one. A form that was refused is sent again
   * without another code. A 5xx says nothing about whether the number was saved, so the proof is used up and the change
   * is told: otherwise one code would do for any number of accounts whose form fails after that. Where you know that
   * nothing was saved, respond with 4xx, or use `redeemWith`.
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

/** One phone verification with routes and pages of its own, wherever it is mounted. */
export function createPhoneVerification(
  http: HttpParts,
  { purpose = 'signup', successPath, path, backPath }: PhoneVerificationOptions,
): PhoneVerification {
  const { domain, subjectOf, sessions, renewal, pages, responder } = http
  const { phoneVerifications, purposes, emit } = domain
  purposes.forEnrolment(purpose)
  renewal.takeNumbers()
  const { handlers, views } = createRoutes(http, createSignup(http, { purpose, successPath, backPath }))
  const shown = new WeakMap<Request, ProvenPhone | undefined>()

  async function proven(req: Request): Promise<ProvenPhone | undefined> {
    await sessions.open(req)
    const session = sessions.find(req)
    const subject = subjectOf(req)
    const proof = session === undefined ? undefined : await phoneVerifications.peek(session, purpose, subject)
    shown.set(req, proof)
    return proof
  }

  /** Race: another number could be proven between the guard that asked about one and its use. */
  function isShown(req: Request, { phone, verifiedAt }: ProvenPhone): boolean {
    const before = shown.get(req)
    return !shown.has(req) || (before?.phone === phone && before.verifiedAt === verifiedAt)
  }

  async function take(req: Request) {
    await sessions.open(req)
    const subject = subjectOf(req)
    const fits = (proof: ProvenPhone) => isShown(req, proof)
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
      // What the host says, or has thrown, stands; a proof that cannot be given back is used up.
      if (saved === false) await giveBack().catch(() => undefined)
      else reportChange()
    }
  }

  /** A form that is refused changes nothing: the proof is for the next one. Whatever else became of it has used it up. */
  async function redeemUnlessRefused(req: Request, res: Response): Promise<ProvenPhone> {
    const { proof, giveBack, reportChange } = await take(req)
    // At once where nobody waits any more: the host makes the change all the same.
    whenGone(req)(() => {
      const isRefused = res.statusCode >= 400 && res.statusCode < 500
      if (isRefused) ignoreRejection(giveBack())
      else reportChange()
    })
    return proof
  }

  /** What reports a change of number. Asked before the host has the new one; a failure of its own must not keep that from being used. */
  async function changeOf(req: Request, subject: string, { phone }: ProvenPhone): Promise<() => void> {
    const before = await http.numbersOf(req, subject).catch(() => ({}))
    const parsed = await Promise.all(
      allNumbers(before).map((number) => parsePhoneNumber(number.phone, { countries: 'any' })),
    )
    const onFile = parsed.flatMap((one) => (one.ok ? [one.phone] : []))
    if (onFile.some((one) => one === phone)) return () => undefined
    const [first] = onFile
    const replaced = first !== undefined && { before: maskPhoneNumber(first) }
    return () =>
      emit({ type: 'factor.changed', kind: 'phone', subject, ...replaced, after: maskPhoneNumber(phone) })
  }

  /** The route is one of the host: the files and the form of the page are where the routes are. */
  async function refusal(req: Request, res: Response, problem: Problem): Promise<PageView> {
    const basePath = path ?? http.path
    const view = await views.formless({ req, res, fields: present({ returnTo: path }) }, problem)
    return { ...view, basePath, address: req.method === 'POST' ? path : undefined }
  }

  return {
    routes: factory('routes', {}, () => createRouter(handlers, pages, path)),
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
            ...(path && { startUrl: `${path}/start` }),
          }
          await responder.send(req, res, { reply: 'problem', problem }, () => refusal(req, res, problem))
          return false
        }
      }),
    ),
  }
}
