import type { Request } from 'express'
import type { BoundFields } from '../../challenge/proofs/bound.js'
import type { Grant } from '../../challenge/proofs/grants.js'
import type { Purposes } from '../../challenge/purposes.js'
import {
  boolean,
  type Checks,
  checkOptions,
  durationMs,
  func,
  nonEmptyString,
  optionError,
} from '../../lib/options.js'

// Here, because the types of the package lead here: a consumer sees the member wherever it sees the guard.
declare global {
  namespace Express {
    interface Request {
      /** Set by `requireTwoFactor`, unless `exempt` let the request pass. */
      twoFactor?: { readonly grant: Grant }
    }
  }
}

/** Which proof a route asks for. */
export interface GuardOptions {
  /** Default `login`. */
  readonly purpose?: string
  /** Age in milliseconds up to which a grant admits; that of the purpose by default. */
  readonly maxAgeMs?: number
  /** Whether the grant admits this one request alone, and never a HEAD; that of the purpose by default. */
  readonly once?: boolean
  /** The members of the request that the proof is for: a changed amount asks again. */
  readonly bind?: (req: Request) => BoundFields
  /** Lets subjects pass that have no second factor: on `true` and nothing else. */
  readonly exempt?: (req: Request, subject: string) => boolean | Promise<boolean>
}

/** What a guard was settled to. */
export interface GuardSettings {
  readonly purpose: string
  readonly maxAgeMs: number
  readonly once: boolean
  /** Whether only a code will do: whatever is stricter than a sign-in is a step-up. */
  readonly requireCode: boolean
  readonly bind: GuardOptions['bind']
  readonly exempt: GuardOptions['exempt']
}

// `undefined` means the default, null is refused: a missing setting must not weaken a guard in silence.
const checks: Checks<GuardOptions> = {
  purpose: nonEmptyString(),
  maxAgeMs: durationMs,
  once: boolean,
  bind: func('(req) => fields'),
  exempt: func('(req, subject) => boolean'),
}

/** Declares the purpose of a guard. Throws a TypeError that names the option and the fix. */
export function resolveGuard(
  options: GuardOptions,
  parts: {
    readonly purposes: Purposes
    /** Longest age that anything but a sign-in may accept. */
    readonly maxStepUpAgeMs: number
  },
): GuardSettings {
  const { purposes, maxStepUpAgeMs } = parts
  checkOptions('requireTwoFactor', options, checks)
  const { purpose: name = 'login', bind, exempt } = options

  const usual = purposes.forGuard(name)
  if (!usual.browserStartable) {
    throw optionError(
      `requireTwoFactor: purpose "${name}" belongs to a phone verification, which creates no grant; use redeem()`,
    )
  }
  const { maxAgeMs = usual.maxAgeMs, once = usual.once } = options
  if (name !== 'login' && maxAgeMs > maxStepUpAgeMs) {
    throw optionError(`requireTwoFactor: maxAgeMs must be ${maxStepUpAgeMs} or less with this profile`)
  }
  purposes.accept(name, maxAgeMs)
  return {
    purpose: name,
    maxAgeMs,
    once,
    requireCode: !usual.trustedDevice || once || bind !== undefined || maxAgeMs < usual.maxAgeMs,
    bind,
    exempt,
  }
}
