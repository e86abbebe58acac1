import type { Request, Router } from 'express'
import { appMethod } from '../../challenge/exchange/code-provider.js'
import { TwoFactorError } from '../../errors.js'
import { hostFunction } from '../../lib/host-function.js'
import { type Checks, checkOptions, func, optionError } from '../../lib/options.js'
import { minuteMs } from '../../lib/time.js'
import { base32Letters, stepOf, toBase32 } from '../../lib/totp.js'
import { createGuard } from '../guard/guard.js'
import { resolveGuard } from '../guard/guard-options.js'
import type { Problem } from '../http/problems.js'
import { appCodePattern, invalid, type RequestContext, readCode, readField } from '../http/request-body.js'
import type { HandlerResult } from '../http/responder.js'
import { createPageRouter, routesChecks } from '../http/routes.js'
import { isRepeatable, safePath } from '../http/site-paths.js'
import type { HttpParts } from '../http-parts.js'
import { bareView } from '../pages/bare-view.js'
import { pageUrl } from '../pages/links.js'
import { pageFor } from '../pages/page-for.js'
import type { PageView } from '../pages/page-view.js'
import type { Routes } from './routes.js'

/** A secret for a new app. */
export interface NewAuthenticator {
  /** The secret in base32 (160 bits), for typing where no camera is available. */
  readonly secret: string
  /** The `otpauth:` URI that opens an app on the same device. */
  readonly uri: string
  /** The URI as a QR code: an SVG element. */
  readonly qr: string
}

/** Options of `authenticators.routes`. */
export interface AuthenticatorRoutesOptions {
  /**
   * Stores the secret of the account and replaces an earlier one. `authenticator.secretOf` must return it from then on.
   *
   * @example
   * save: (req, secret) => users.update(req.session.userId, { authenticator: encrypt(secret) })
   */
  readonly save: (req: Request, secret: string) => void | Promise<void>
  /** Path of this site after success. Default: `/`. */
  readonly successPath?: string
}

/**
 * Adds an authenticator app to an account, for the option `authenticator`. Every step requires a code for the purpose
 * `authenticator` that is at most 15 minutes old: a stolen session must not add an app of its own. For an account
 * without a factor, your app writes a grant for this purpose with `grants.write`.
 */
export interface Authenticators {
  /** True if the option `authenticator` is present. Without it, every method throws. */
  readonly isOffered: boolean
  /**
   * Returns the page with the QR code, with its guard. Mount it at a path of your choice.
   *
   * @example
   * app.use('/account/authenticator', tf.authenticators.routes({ save, successPath: '/account' }))
   */
  routes(options: AuthenticatorRoutesOptions): Router
  /**
   * Returns the secret of a new authenticator as `{ secret, uri, qr }`, for your own page. It stays equal until there is
   * another grant or another secret on file. Without a fresh grant it rejects with a TwoFactorError
   * `second_factor_required`, so call it behind a guard.
   *
   * @example
   * app.get('/app', tf.requireTwoFactor({ purpose: 'authenticator' }), async (req, res) => {
   *   const { uri, qr } = await tf.authenticators.begin(req)
   *   res.render('app', { uri, qr })
   * })
   */
  begin(req: Request): Promise<NewAuthenticator>
  /**
   * Checks the first code of the new authenticator, and returns the secret for you to store. Rejects like `begin`, and with
   * `code_not_accepted`.
   *
   * @example
   * const { secret } = await tf.authenticators.confirm(req, req.body.code)
   * await users.update(req.session.userId, { authenticator: encrypt(secret) })
   */
  confirm(req: Request, code: string): Promise<{ readonly secret: string }>
}

const checks: Checks<AuthenticatorRoutesOptions> = {
  save: func('(req, secret)'),
  ...routesChecks,
}

const authenticatorPurpose = 'authenticator'
/** Long enough to install an app. */
const freshMs = 15 * minuteMs
/** As long as the hash (RFC 4226, 4). */
const secretBytes = 20

export function createAuthenticators(http: HttpParts, signIn: Routes): Authenticators {
  const { settings, domain, identifyLater, endpoint, responder, pages, sitePaths, secretOf } = http
  const { namespace, grants, purposes, secrets, now, emit } = domain
  const { authenticator, maxStepUpAgeMs } = settings
  if (authenticator === undefined || secretOf === undefined) return withoutOption
  const { issuer } = authenticator
  const labelOf = authenticator.label && hostFunction(authenticator.label)
  purposes.ofPackage(authenticatorPurpose)
  const formPath = (req: Request) => safePath(req.baseUrl) ?? '/'
  const maxAgeMs = Math.min(freshMs, maxStepUpAgeMs)
  // One grant covers the page and the code that is submitted on it, whatever the purpose configures.
  const guard = resolveGuard(
    { purpose: authenticatorPurpose, maxAgeMs, once: false, formPath },
    purposes,
    settings,
  )

  /** Returns the requester and the time of the grant. */
  async function proven(req: Request) {
    const requester = await identifyLater(req)
    if (requester === undefined) throw new TwoFactorError('not_identified')
    const grant = await grants.read({ ...requester, ...guard.requirement, requireCode: true })
    if (grant === undefined) throw new TwoFactorError('second_factor_required')
    return { ...requester, verifiedAt: grant.verifiedAt }
  }

  /**
   * Derived, not stored: from this grant of an account and the secret on file. Not from the session, which a code in
   * another tab renews after the app already has the secret. With account and secret alone, a user who lost an app
   * would get the lost secret again.
   */
  async function pending(req: Request) {
    const { subject, verifiedAt } = await proven(req)
    const before = Buffer.from((await secretOf?.(req, subject))?.key ?? '').toString('hex')
    const of = [namespace, subject, verifiedAt, before]
    const tag = secrets.tag('authenticator', JSON.stringify(of))
    return { subject, secret: Buffer.from(tag, 'base64url').subarray(0, secretBytes) }
  }

  async function nameOf(req: Request, subject: string): Promise<string> {
    const label: unknown = (await labelOf?.(req, subject)) ?? subject
    if (typeof label === 'string' && label !== '') return label
    throw new TypeError(
      `authenticator.label must return a name, not ${label === '' ? 'nothing' : typeof label}`,
    )
  }

  async function begin(req: Request): Promise<NewAuthenticator> {
    const { subject, secret: shared } = await pending(req)
    const secret = toBase32(shared, base32Letters)
    const [by, account] = [issuer, await nameOf(req, subject)].map(encodeURIComponent)
    const uri = `otpauth://totp/${by}:${account}?secret=${secret}&issuer=${by}`
    // Loaded at the first use, because few requests draw a QR code.
    const { renderSVG } = await import('uqr')
    return { secret, uri, qr: renderSVG(uri, { border: 4 }) }
  }

  async function confirm(req: Request, typed: string): Promise<{ readonly secret: string }> {
    const { subject, secret } = await pending(req)
    const code = readCode(String(typed), appCodePattern)
    if (code === undefined) throw invalid('code must be the six digits that the app shows.')
    const step = stepOf(code, secret, now())
    if (step === undefined) throw new TwoFactorError('code_not_accepted')
    // A person who saw the code must not sign in with it, nor with a later code of the previous app (replay).
    await domain.ledgerOf(subject).run(({ ledger, now: at }) => ({
      outcome: undefined,
      next: { ...ledger, lastStep: Math.max(step, ledger.lastStep ?? 0), at },
    }))
    // A revocation during the call of `secretOf` ends this as well (ASVS 5.0, 7.4.1).
    await proven(req)
    emit({ type: 'factor.changed', kind: appMethod, subject })
    return { secret: toBase32(secret, base32Letters) }
  }

  async function view({ req, fields }: RequestContext, newProblem?: Problem): Promise<PageView> {
    const isReloaded = isRepeatable(req) && Object.hasOwn(fields, 'wrong')
    const problem = newProblem ?? (isReloaded ? { code: 'code_not_accepted' } : undefined)
    // The grant may have expired meanwhile. The problem is then all there is to show.
    const pairing = await begin(req).catch((error: unknown) => {
      if (problem === undefined) throw error
      return undefined
    })
    const basePath = sitePaths.mountOf(req)
    return pageFor({
      ...bareView(http, req),
      basePath,
      address: req.method === 'POST' ? pageUrl(basePath, {}) : undefined,
      pairing,
      problem,
      formless: pairing === undefined,
      emptyField: problem !== undefined && readField(Object(req.body), 'code') === undefined,
      formFields: http.formFieldsOf(req),
    })
  }

  return {
    isOffered: true,
    begin,
    confirm,
    routes(options) {
      checkOptions('authenticators.routes', options, checks, ['save'])
      const successPath = sitePaths.toBrowser(options.successPath ?? '/')
      const save = hostFunction(options.save)
      const page = { of: view, urlOf: ({ req }: RequestContext) => sitePaths.mountOf(req) || '/' }
      const router = createPageRouter(pages)
      router.use(createGuard(http, signIn, guard))
      router.all(
        '/',
        endpoint('GET', page, async (context): Promise<HandlerResult> => {
          if (responder.wantsPage(context.req)) return { reply: 'page', view: await view(context) }
          return { reply: 'done', status: 200, body: await begin(context.req), location: () => successPath }
        }),
      )
      router.all(
        '/verify',
        endpoint('POST', page, async ({ req, fields }): Promise<HandlerResult> => {
          const { secret } = await confirm(req, readField(fields, 'code') ?? '')
          await save(req, secret)
          return { reply: 'done', status: 200, body: { confirmed: true }, location: () => successPath }
        }),
      )
      return router
    },
  }
}

const missing = () => {
  throw optionError('tf.authenticators needs the option authenticator: { secretOf, issuer } of twoFactor()')
}
const withoutOption: Authenticators = {
  isOffered: false,
  begin: async () => missing(),
  confirm: async () => missing(),
  routes: missing,
}
