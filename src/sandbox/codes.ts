import { randomInt } from 'node:crypto'
import { createRecent } from './recent.js'

/** What a second send does to a code that is still alive: the provider's documentation leaves it open. */
export type ResendRule = 'repeat' | 'replace' | 'both'

/** What a submitted code was found to be. */
type CodeFinding = 'right' | 'wrong' | 'expired' | 'used' | 'none'

interface IssuedCode {
  readonly code: string
  readonly expiresAt: number
  used: boolean
}

export interface CodeRules {
  readonly alphabet: string
  readonly length: number
  readonly lifetimeMs: number
  readonly resend: ResendRule
}

export interface Codes {
  /** Makes a code for this number and app-name, or repeats the living one. */
  issue(phone: string, appName: string, fixed?: string): string
  /** Judges a code. A right one is used up; a wrong one changes nothing. */
  check(phone: string, appName: string, code: string): CodeFinding
  clear(): void
}

/** Numbers and app-names remembered at once, and codes remembered for each. */
const mostKeys = 10_000
const mostCodesPerKey = 5

/**
 * The codes in circulation, filed under (phone, app-name) as the provider does it: the number must come
 * back at the check exactly as it was spelled at the send.
 */
export function createCodes({ alphabet, length, lifetimeMs, resend }: CodeRules, now: () => number): Codes {
  const issued = createRecent<readonly IssuedCode[]>(mostKeys)
  const keyOf = (phone: string, appName: string) => JSON.stringify([phone, appName])
  const alive = ({ used, expiresAt }: IssuedCode) => !used && now() < expiresAt

  function newCode(): string {
    return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
  }

  return {
    issue(phone, appName, fixed) {
      const key = keyOf(phone, appName)
      const earlier = issued.get(key) ?? []
      const living = resend === 'repeat' ? earlier.find(alive) : undefined
      const code = fixed ?? living?.code ?? newCode()
      const fresh = { code, expiresAt: now() + lifetimeMs, used: false }
      // What was used or has expired is kept a while, so that its answer can say so.
      const kept = earlier.filter((one) => one.code !== code && (resend === 'both' || !alive(one)))
      issued.set(key, [fresh, ...kept].slice(0, mostCodesPerKey))
      return code
    },

    check(phone, appName, code) {
      const candidates = issued.get(keyOf(phone, appName))
      if (candidates === undefined) return 'none'
      const match = candidates.find((one) => one.code === code)
      if (match === undefined) return 'wrong'
      if (match.used) return 'used'
      if (!alive(match)) return 'expired'
      match.used = true
      return 'right'
    },

    clear: () => issued.clear(),
  }
}

/** The code of the number whose code is always known: the alphabet from its start, as long as codes are. */
export function knownCode({ alphabet, length }: CodeRules): string {
  return alphabet.repeat(Math.ceil(length / alphabet.length)).slice(0, length)
}
