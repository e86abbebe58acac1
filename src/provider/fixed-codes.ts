import { hash, timingSafeEqual } from 'node:crypto'
import type { CodeProvider } from '../challenge/exchange/code-provider.js'
import { type Check, type Checks, oneOf, optionError } from '../lib/options.js'
import { dayMs } from '../lib/time.js'

/** A fixed code, which may end by itself. */
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
   * If true, accepts `fixedCodes` although NODE_ENV is neither `development` nor `test`. Codes that all end within 60 days
   * do not need it. Default: false.
   */
  readonly dangerouslyInProduction?: true | undefined
}

/** Names no number: some are those of people. */
const fixedCodes: Check = (value, name) => {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const fit = entries.every(([phone, given]) => /^\+[1-9]\d{6,14}$/.test(phone) && isFixedCode(given))
  if (entries.length > 0 && fit) return value
  throw optionError(
    `${name} must be codes of 4 to 10 letters and digits by number, such as { '+573001234567': '482913' }, or { code: '482913', until: '2026-12-31' } with a day in UTC`,
  )
}

function isFixedCode(given: unknown): boolean {
  const { code = given, until, ...more } = Object(given)
  if (typeof code !== 'string' || !/^[0-9A-Za-z]{4,10}$/.test(code)) return false
  if (typeof given === 'string') return true
  return Object.keys(more).length === 0 && typeof until === 'string' && endOf(until) !== undefined
}

/** Returns the time after the last moment of a day in UTC; undefined for a text that is no such day. */
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

/** As long as the review of an app store or a demo takes: nobody has to remember to remove such a code. */
const maxUnattendedMs = 60 * dayMs

function settle(given: FixedCode): { readonly code: string; readonly endsAt: number } {
  if (typeof given === 'string') return { code: given, endsAt: Number.POSITIVE_INFINITY }
  return { code: given.code, endsAt: endOf(given.until) ?? 0 }
}

/** The handle of a challenge whose code is fixed. */
const fixedHandle = 'fixed'

/** The provider, but for the numbers whose codes are fixed. Events of these name the operation `fixedCode`. */
export function withFixedCodes(
  where: string,
  provider: CodeProvider,
  { fixedCodes: given, dangerouslyInProduction }: FixedCodesOptions,
): CodeProvider {
  if (given === undefined) return provider
  const codes = new Map(Object.entries(given).map(([phone, one]) => [phone, settle(one)]))
  const endsSoon = [...codes.values()].every(({ endsAt }) => endsAt - dayMs <= Date.now() + maxUnattendedMs)
  if (
    !endsSoon &&
    dangerouslyInProduction !== true &&
    !/^(?:development|test)$/.test(process.env.NODE_ENV ?? '')
  ) {
    throw optionError(
      `${where}: fixedCodes admit whoever knows them; remove them, set NODE_ENV to development or test, or add dangerouslyInProduction: true; or give each an end within 60 days, as in { code: '482913', until: '2026-12-31' }`,
    )
  }
  process.emitWarning(`${where}: ${codes.size} numbers have a fixed code. Whoever knows it needs no phone.`, {
    type: 'TwoFactorWarning',
    code: 'TWO_FACTOR_FIXED_CODES',
  })
  /** Returns the code of a number while it has one. */
  const codeFor = (phone: string): string | undefined => {
    const { code, endsAt = 0 } = codes.get(phone) ?? {}
    return Date.now() < endsAt ? code : undefined
  }
  const exchange = { operation: 'fixedCode', asked: false } as const

  return {
    ...provider,
    async sendCode(send) {
      // A number that is not on file yet would be proven by whoever knows its code.
      if (send.lane !== 'auth' || codeFor(send.destination) === undefined) return provider.sendCode(send)
      send.report?.(exchange)
      return { result: 'sent', handle: fixedHandle, fixed: true, lifetimeMs: send.expiresInMs }
    },
    async checkCode(check) {
      if (check.handle !== fixedHandle) return provider.checkCode(check)
      check.report?.(exchange)
      const code = codeFor(check.destination)
      return code !== undefined && isSame(code, check.code) ? 'approved' : 'rejected'
    },
  }
}

/** In constant time: how much of a guess was right must not show in how long the answer takes. */
function isSame(code: string, typed: string): boolean {
  return timingSafeEqual(hash('sha256', code, 'buffer'), hash('sha256', typed, 'buffer'))
}
