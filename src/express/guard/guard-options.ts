import type { Request } from 'express'
import type { Requester } from '../../challenge/commands.js'
import { isMethodName, isOneOf, kindOf, methodNameRule } from '../../challenge/exchange/code-provider.js'
import type { Grant } from '../../challenge/proofs/grants.js'
import type { BoundFields, GrantQuery } from '../../challenge/proofs/stored-grant.js'
import { firstPurpose, type Purposes } from '../../challenge/purposes.js'
import { present } from '../../lib/json.js'
import {
  boolean,
  type Checks,
  durationMs,
  func,
  list,
  nonEmptyString,
  optionError,
  that,
} from '../../lib/options.js'
import { isPath } from '../http/site-paths.js'
import type { HttpSettings } from '../settings.js'
import type { Describe } from './details.js'

// Declared here, because the types of the package lead here: an app sees the member wherever it sees the guard.
declare global {
  namespace Express {
    interface Request {
      /** Set by `requireTwoFactor`, unless `exempt` let the request pass. */
      twoFactor?: { readonly grant: Grant }
    }
  }
}

/** Options of `requireTwoFactor`. */
export interface GuardOptions {
  /** Purpose of the code. Default: `login`. If the option `purposes` names others, it must be one of them. */
  readonly purpose?: string
  /** Maximum age of a grant, in milliseconds. Default: the purpose's `maxAgeMs`. */
  readonly maxAgeMs?: number
  /** If true, each grant admits one request (never a HEAD). Default: the purpose's `once`. */
  readonly once?: boolean
  /**
   * Returns the fields that the code confirms. If one of them changes, the guard requires a new code. A field that a
   * parsed body lacks gets 400 with its name. At most 32 levels deep.
   *
   * The texts `undefined`, `NaN` and `[object Object]` count as no value, because `String()` returns them for a misspelt
   * field.
   */
  readonly bind?: (req: Request) => BoundFields
  /**
   * Returns rows of strings to show before the user enters the code, at most 12 rows and 2 kB. They appear on the pages, as
   * `details` in JSON, and in messages of `ownCodes`. It requires `bind`, so that a code confirms what was
   * displayed.
   *
   * Called only at a refusal, with its language.
   *
   * @example
   * describe: (req) => ({ title: 'Transfer', rows: [['Amount', `${req.body.amount} EUR`], ['To', req.body.payee]] })
   */
  readonly describe?: Describe
  /**
   * Accepted methods: `code` (by any channel), `app`, `passkey`, `trusted-device`, `recovery-code`, or your own from
   * `grants.write`. Default: any.
   *
   * `code` is a code that was sent. The option `channels` of the purpose selects its channels.
   *
   * @example
   * methods: ['passkey']
   */
  readonly methods?: readonly string[]
  /**
   * If true, saves the interrupted form. After the code, the user submits it again with one button. Default: false.
   *
   * The form is saved for ten minutes and until it is sent. The page shows the rows of `describe`. It must be a POST
   * with at most 8 kB of URL-encoded fields that was parsed before the guard. Uploads and forms of other sites are
   * never saved. In ten minutes, nine forms of an account are saved.
   *
   * @example
   * tf.requireTwoFactor({ purpose: 'transfer', once: true, bind, describe, resume: true })
   */
  readonly resume?: boolean
  /**
   * If true, the guard sends the code when it refuses a same-origin form, unless a trusted browser is enough; with
   * a function, also when it returns exactly `true`. Default: true.
   *
   * All limits and `beforeSend` apply, and the send never replaces a live code for another action. Return true only for
   * a request that a user starts by an action (SMS pumping).
   */
  readonly sendAtOnce?: boolean | ((req: Request) => boolean)
  /**
   * Returns a path of your app, to which a correct code redirects (GET). It replaces `resume`.
   *
   * Your handler at this path makes the change, so the user confirms only once. The handler must change nothing without
   * the grant, which admits one request (`once`) with these fields (`bind`).
   *
   * @example
   * continueAt: (req) => `/numbers/remove?number=${encodeURIComponent(req.body.number)}`
   */
  readonly continueAt?: (req: Request) => string
  /**
   * Path of the page with the form, to which the user returns, or `(req) => path`. Default: the form's field `returnTo`,
   * or a same-origin Referer.
   *
   * helmet's default `no-referrer` removes the Referer. Any value but a path of this site is ignored.
   *
   * @example
   * formPath: (req) => `/accounts/${req.params.id}/transfer`
   */
  readonly formPath?: string | ((req: Request) => string)
  /**
   * Skips the step-up for this request, when it returns exactly `true`. Must be synchronous. Called before `bind`.
   *
   * The request still requires a sign-in with a second factor. Write the condition so that unexpected input is not
   * `true`: with the example, strings and lists require the code. With `bind`, a body that no parser has read also
   * requires it. A guard that requires no more than a sign-in does not accept it.
   *
   * @example
   * unless: ({ body }) => typeof body.amount === 'number' && body.amount >= 0 && body.amount < 100
   */
  readonly unless?: (req: Request) => boolean
  /**
   * Skips the guard for users without a second factor, when it returns exactly `true`.
   *
   * Called only if the user has no grant, no number, no authenticator app and no passkey of the options. A number that
   * cannot be read also counts, and its user gets 403. Recovery codes and your own factors are not visible to the
   * package: return false for users who have one of these.
   */
  readonly exempt?: (req: Request, subject: string) => boolean | Promise<boolean>
}

/** The resolved options of a guard. A guard that is stricter than a sign-in is a step-up and accepts only a code. */
export interface GuardSettings
  extends Pick<GuardOptions, 'bind' | 'describe' | 'formPath' | 'exempt' | 'continueAt' | 'unless'> {
  /** The required grant, without the fields that a request binds. */
  readonly requirement: Omit<GrantQuery, 'bound' | keyof Requester>
  readonly once: boolean
  readonly resume: boolean
  readonly sendAtOnce: boolean | ((req: Request) => boolean)
  /** True if the guard requires more than a sign-in, from a signed-in user. */
  readonly isStepUp: boolean
  /** The guard of a request that `unless` spares the step-up. */
  readonly signIn?: GuardSettings | undefined
}

// `undefined` selects the default. Null is refused, because a missing setting must not weaken a guard without notice.
export const guardChecks: Checks<GuardOptions> = {
  purpose: nonEmptyString(),
  maxAgeMs: durationMs,
  once: boolean,
  bind: func('(req) => fields'),
  describe: func('(req, { locale }) => ({ title?, rows, action? })'),
  methods: list(
    that(methodNameRule, isMethodName),
    "must list at least one method, such as 'passkey', in an array",
    1,
  ),
  resume: boolean,
  sendAtOnce: that(
    'must be true, false or a function (req) => boolean',
    (value) => typeof value === 'function' || typeof value === 'boolean',
  ),
  continueAt: func('(req) => path'),
  formPath: that(
    "must be a path of this site, such as '/transfer', or a function (req) => path",
    (value) => typeof value === 'function' || isPath(value),
  ),
  unless: func('(req) => boolean'),
  exempt: func('(req, subject) => boolean'),
}

/** Resolves the options of a guard and declares its purpose. Throws a TypeError that names the option and the fix. */
export function resolveGuard(
  options: GuardOptions,
  purposes: Purposes,
  settings: Pick<
    HttpSettings,
    'maxStepUpAgeMs' | 'dynamicLinking' | 'tellsCodesApart' | 'recoveryCodes' | 'methods'
  >,
): GuardSettings {
  const { maxStepUpAgeMs, recoveryCodes } = settings
  const { purpose: name = firstPurpose, bind, describe, methods, formPath, exempt, unless } = options
  const { resume = false, sendAtOnce = true, continueAt } = options

  const channel = methods?.find((one) => kindOf(one) === 'code' && isOneOf(settings.methods, one))
  if (channel !== undefined) {
    throw optionError(
      `requireTwoFactor: methods must not name the channel "${channel}": write 'code', and how codes are sent in purposes: { ${name}: { channels } }`,
    )
  }
  const purpose = purposes.forGuard(name)
  if (!purpose.browserStartable) {
    throw optionError(
      `requireTwoFactor: purpose "${name}" belongs to a phone verification, which creates no grant; use redeem()`,
    )
  }
  const { maxAgeMs = purpose.maxAgeMs, once = purpose.once } = options
  if (name !== firstPurpose && maxAgeMs > maxStepUpAgeMs) {
    throw optionError(`requireTwoFactor: maxAgeMs must be ${maxStepUpAgeMs} or less with this profile`)
  }
  checkBinding(options, { ...settings, once })
  const isStricter = once || bind !== undefined || maxAgeMs < purpose.maxAgeMs
  const needsCode = !purpose.trustedDevice || isStricter
  const takesDevice = methods?.includes('trusted-device') ?? !needsCode
  if (takesDevice && needsCode) {
    throw optionError('requireTwoFactor: methods must not include "trusted-device" for a step-up')
  }
  const byPurpose = purpose.recoveryCode === 'always' || (purpose.recoveryCode === 'sign-in' && !isStricter)
  const takesRecoveryCode = methods?.includes('recovery-code') ?? byPurpose
  if (takesRecoveryCode && recoveryCodes === undefined) {
    throw optionError(
      'requireTwoFactor: recovery codes need the option recoveryCodes: { consume } of twoFactor()',
    )
  }
  if (takesRecoveryCode && !byPurpose) {
    throw optionError(
      `requireTwoFactor: methods must not include "recovery-code" here without purposes: { ${name}: { recoveryCode: true } }`,
    )
  }
  const isStepUp = name !== firstPurpose || isStricter
  if (unless !== undefined && !isStepUp) {
    throw optionError(
      'requireTwoFactor: unless skips a step-up, and this guard requires only a sign-in; add purpose, bind, once or a shorter maxAgeMs, or remove unless',
    )
  }
  purposes.bind(name, bind !== undefined)
  purposes.accept(name, maxAgeMs)
  return {
    ...present({ bind, describe, formPath, exempt, continueAt, unless }),
    signIn: unless && resolveGuard(present({ formPath, exempt }), purposes, settings),
    requirement: {
      purpose: name,
      maxAgeMs,
      requireCode: !takesDevice,
      recoveryCode: takesRecoveryCode,
      methods,
    },
    once,
    resume,
    // A trusted device may replace the code, and the page checks whether it does.
    sendAtOnce: takesDevice ? false : sendAtOnce,
    isStepUp,
  }
}

/** Checks that a code confirms what the user saw, and nothing else. */
function checkBinding(
  { purpose = firstPurpose, bind, describe, resume = false, continueAt }: GuardOptions,
  {
    once,
    dynamicLinking,
    tellsCodesApart,
  }: Pick<HttpSettings, 'dynamicLinking' | 'tellsCodesApart'> & Pick<GuardSettings, 'once'>,
): void {
  if (once && dynamicLinking && (bind === undefined || describe === undefined)) {
    throw optionError(
      'requireTwoFactor: once needs bind and describe with the profile psd2: the payer must see what the code confirms',
    )
  }
  if (bind !== undefined && purpose === firstPurpose) {
    throw optionError(
      "requireTwoFactor: bind needs a purpose of its own, because a code for a sign-in must confirm nothing else; add purpose: 'transfer', for example",
    )
  }
  if (bind !== undefined && dynamicLinking && !tellsCodesApart) {
    throw optionError(
      'requireTwoFactor: bind with the profile psd2 needs a provider that tells codes apart: ownCodes(), or providerCodes({ replacesCodes: true }) if npx express-two-factor calibrate --replaces finds that a new code ends the earlier ones',
    )
  }
  if (describe !== undefined && bind === undefined) {
    throw optionError(
      'requireTwoFactor: describe needs bind: without it, a code would confirm fields that the user did not see; add bind: (req) => ({ … }) with the fields that describe shows',
    )
  }
  if (continueAt !== undefined && (resume || !once || bind === undefined)) {
    throw optionError(
      'requireTwoFactor: continueAt needs once: true and bind, so that a link without a code changes nothing; remove resume',
    )
  }
}
