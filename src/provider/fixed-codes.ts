import { hash, timingSafeEqual } from 'node:crypto'
import type { CodeProvider } from '../challenge/exchange/code-provider.js'
import { type Check, type Checks, oneOf, optionError } from '../lib/options.js'

/** Options of the providers that take fixed codes. */
export interface FixedCodesOptions {
  /**
   * Codes for single numbers on file, for an app-store review or a demo. Nothing is sent or billed, and all limits hold. A
   * code that somebody else may know is no second factor.
   *
   * @example
   * fixedCodes: { '+573001234567': '482913' }
   */
  readonly fixedCodes?: Readonly<Record<string, string>> | undefined
  /** Takes `fixedCodes` where NODE_ENV is neither `development` nor `test`. */
  readonly dangerouslyInProduction?: true | undefined
}

/** Names no number: some are those of people. */
const fixedCodes: Check = (value, name) => {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const fit = entries.every(
    ([phone, code]) =>
      /^\+[1-9]\d{6,14}$/.test(phone) && typeof code === 'string' && /^[0-9A-Za-z]{4,10}$/.test(code),
  )
  if (entries.length > 0 && fit) return value
  throw optionError(
    `${name} must be codes of 4 to 10 letters and digits by number, such as { '+573001234567': '482913' }`,
  )
}

export const fixedCodesChecks: Checks<FixedCodesOptions> = {
  fixedCodes,
  dangerouslyInProduction: oneOf(true),
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
  if (dangerouslyInProduction !== true && !/^(?:development|test)$/.test(process.env.NODE_ENV ?? '')) {
    throw optionError(
      `${where}: fixedCodes admit whoever knows them; remove them, set NODE_ENV to development or test, or add dangerouslyInProduction: true`,
    )
  }
  const codes = new Map(Object.entries(given))
  process.emitWarning(`${where}: ${codes.size} numbers have a fixed code. Whoever knows it needs no phone.`, {
    type: 'TwoFactorWarning',
    code: 'TWO_FACTOR_FIXED_CODES',
  })
  const exchange = { operation: 'fixedCode', asked: false } as const

  return {
    ...provider,
    async sendCode(send) {
      // A number that is not on file yet would be proven by whoever knows its code.
      if (send.lane !== 'auth' || !codes.has(send.destination)) return provider.sendCode(send)
      send.report?.(exchange)
      return { result: 'sent', handle: fixedHandle, fixed: true, lifetimeMs: send.expiresInMs }
    },
    async checkCode(check) {
      if (check.handle !== fixedHandle) return provider.checkCode(check)
      check.report?.(exchange)
      const code = codes.get(check.destination)
      return code !== undefined && isSame(code, check.code) ? 'approved' : 'rejected'
    },
  }
}

/** In constant time: how much of a guess was right must not show in how long the answer takes. */
function isSame(code: string, typed: string): boolean {
  return timingSafeEqual(hash('sha256', code, 'buffer'), hash('sha256', typed, 'buffer'))
}
