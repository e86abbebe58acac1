import { hash, timingSafeEqual } from 'node:crypto'
import type { CodeProvider } from '../challenge/exchange/code-provider.js'
import { type Check, type Checks, oneOf, optionError } from '../lib/options.js'
import { dayMs } from '../lib/time.js'
import { isE164 } from '../phone-number.js'

/** A fixed code, with an optional last day. */
export type FixedCode = string | { readonly code: string; readonly until: string }

/** Options of the providers that take fixed codes. */
export interface FixedCodesOptions {
  /**
   * Accepts a fixed code for single numbers on file, for an app-store review or a demo. Nothing is sent or billed, and all
   * limits apply. A code that other people may know is not a second factor.
   *
   * With `until`, a day in UTC, the code ends at the end of that day.
   *
   * @example
   * fixedCodes: { '+573001234567': { code: '482913', until: '2026-12-31' } }
   */
  readonly fixedCodes?: Readonly<Record<string, FixedCode>> | undefined
  /**
   * If true, accepts fixed codes that do not end within 60 days also in production (NODE_ENV is neither `development`
   * nor `test`). Default: false.
   */
  readonly dangerouslyInProduction?: true | undefined
}

/** The error names no number, because some belong to real people. */
const fixedCodes: Check = (value, name) => {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const fit = entries.every(([phone, given]) => isE164(phone) && isFixedCode(given))
  if (entries.length > 0 && fit) return value
  throw optionError(
    `${name} must map numbers to codes of 4 to 10 letters and digits, such as { '+573001234567': '482913' }, or { code: '482913', until: '2026-12-31' } with a day in UTC`,
  )
}

function isFixedCode(given: unknown): boolean {
  const { code = given, until, ...more } = Object(given)
  if (typeof code !== 'string' || !/^[0-9A-Za-z]{4,10}$/.test(code)) return false
  if (typeof given === 'string') return true
  return Object.keys(more).length === 0 && typeof until === 'string' && endOf(until) !== undefined
}

/** Returns the end of a day in UTC, or undefined if the text is not a day. */
function endOf(until: string): number | undefined {
  const day = Date.parse(`${until}T00:00:00.000Z`)
  // `Date.parse` reads February 30 as March 2.
  const isDay = Number.isFinite(day) && new Date(day).toISOString().startsWith(`${until}T`)
  return isDay ? day + dayMs : undefined
}

export const fixedCodesChecks: Checks<FixedCodesOptions> = {
  fixedCodes,
  dangerouslyInProduction: oneOf(true),
}

/** Enough for an app-store review or a demo. Such a code ends even if it is never removed. */
const maxUnattendedMs = 60 * dayMs

function settleFixedCode(given: FixedCode): { readonly code: string; readonly endsAt: number } {
  if (typeof given === 'string') return { code: given, endsAt: Number.POSITIVE_INFINITY }
  return { code: given.code, endsAt: endOf(given.until) ?? 0 }
}

/** Handle of a challenge with a fixed code. */
const fixedHandle = 'fixed'

/** Wraps a provider with the fixed codes of single numbers. Their events have the operation `fixedCode`. */
export function withFixedCodes(
  where: string,
  provider: CodeProvider,
  { fixedCodes: given, dangerouslyInProduction }: FixedCodesOptions,
): CodeProvider {
  if (given === undefined) return provider
  const codes = new Map(Object.entries(given).map(([phone, one]) => [phone, settleFixedCode(one)]))
  const endsSoon = [...codes.values()].every(({ endsAt }) => endsAt - dayMs <= Date.now() + maxUnattendedMs)
  if (
    !endsSoon &&
    dangerouslyInProduction !== true &&
    !/^(?:development|test)$/.test(process.env.NODE_ENV ?? '')
  ) {
    throw optionError(
      `${where}: anyone who knows a fixed code can sign in with it; remove fixedCodes, set NODE_ENV to development or test, add dangerouslyInProduction: true, or give each code an end within 60 days, as in { code: '482913', until: '2026-12-31' }`,
    )
  }
  process.emitWarning(
    `${where}: ${codes.size} numbers have a fixed code. Anyone who knows it can sign in without the phone.`,
    {
      type: 'TwoFactorWarning',
      code: 'TWO_FACTOR_FIXED_CODES',
    },
  )
  /** Returns the code of a number until it ends. */
  const codeFor = (phone: string): string | undefined => {
    const { code, endsAt = 0 } = codes.get(phone) ?? {}
    return Date.now() < endsAt ? code : undefined
  }
  const exchange = { operation: 'fixedCode', asked: false } as const

  return {
    ...provider,
    async sendCode(send) {
      // At a sign-up, every person who knows the fixed code could verify the number.
      if (send.lane !== 'auth' || codeFor(send.destination) === undefined) return provider.sendCode(send)
      send.report?.(exchange)
      return { result: 'sent', handle: fixedHandle, fixed: true, lifetimeMs: send.expiresInMs }
    },
    async checkCode(check) {
      if (check.handle !== fixedHandle) return provider.checkCode(check)
      check.report?.(exchange)
      const code = codeFor(check.destination)
      return code !== undefined && isSameCode(code, check.code) ? 'approved' : 'rejected'
    },
  }
}

/** Compares in constant time: the response time must not reveal how much of a guess is correct. */
function isSameCode(code: string, typed: string): boolean {
  return timingSafeEqual(hash('sha256', code, 'buffer'), hash('sha256', typed, 'buffer'))
}
