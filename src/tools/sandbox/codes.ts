import { randomInt } from 'node:crypto'
import { createBoundedMap } from './bounded-memory.js'
import type { CodeStatus } from './inbox.js'
import { fixedResultOf } from './numbers.js'
import type { SandboxSettings } from './options.js'
import { type Message, stateAt, undeliveredAt } from './timeline.js'

/** Result of the check of a code. */
type CodeFinding = 'right' | 'wrong' | 'expired' | 'used' | 'none'

interface IssuedCode {
  readonly code: string
  readonly expiresAt: number
  readonly used: boolean
}

export type Codes = ReturnType<typeof createCodes>

/** Most pairs of number and app name in memory, and most codes of each. */
const maxKeys = 10_000
const maxCodesPerKey = 5

/**
 * Creates the store of issued codes, by phone and app name as at the provider: the number at the check must be spelled
 * exactly as at the send.
 */
export function createCodes(
  { codeAlphabet: alphabet, codeLength: length, codeLifetimeMs: lifetimeMs, resend }: SandboxSettings,
  now: (phone: string) => number,
) {
  /** Newest first. */
  const filed = createBoundedMap<readonly IssuedCode[]>(maxKeys)
  const keyOf = (phone: string, appName: string) => JSON.stringify([phone, appName])

  function newCode(): string {
    return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
  }
  /** The code of the number whose code is always known: the alphabet from its start. */
  const knownCode = alphabet.repeat(length).slice(0, length)

  return {
    /** Issues a code for this number and app name, or repeats the live code. */
    issue(phone: string, appName: string): string {
      const isLive = ({ used, expiresAt }: IssuedCode) => !used && now(phone) < expiresAt
      const key = keyOf(phone, appName)
      const earlier = filed.get(key) ?? []
      const live = resend === 'repeat' ? earlier.find(isLive) : undefined
      const code = fixedResultOf(phone) === 'knownCode' ? knownCode : (live?.code ?? newCode())
      const fresh = { code, expiresAt: now(phone) + lifetimeMs, used: false }
      // Used and expired codes stay for a while, so that the provider can report their state.
      const kept = earlier.filter((one) => one.code !== code && (resend === 'both' || !isLive(one)))
      filed.set(key, [fresh, ...kept].slice(0, maxCodesPerKey))
      return code
    },

    /** Checks a code. A correct code is used up. A wrong code changes nothing. */
    check(phone: string, appName: string, code: string): CodeFinding {
      const key = keyOf(phone, appName)
      const issued = filed.get(key)
      if (issued === undefined) return 'none'
      const match = issued.find((one) => one.code === code)
      if (match === undefined) return 'wrong'
      if (match.used) return 'used'
      if (now(phone) >= match.expiresAt) return 'expired'
      filed.set(
        key,
        issued.map((one) => (one === match ? { ...one, used: true } : one)),
      )
      return fixedResultOf(phone) === 'expiredCode' ? 'expired' : 'right'
    },

    /** Returns the issued code; undefined once another code has replaced it. */
    find: (phone: string, appName: string, code: string) =>
      filed.get(keyOf(phone, appName))?.find((one) => one.code === code),
    clear: () => filed.clear(),
  }
}

/** Returns the state of the code of a two-factor operation; undefined for a message without one. */
export function codeStatusOf(message: Message, codes: Codes, now: number): CodeStatus | undefined {
  const { code, appName, phone, timeline } = message
  if (code === undefined) return undefined
  if (stateAt(timeline, now) === 'blocked') return { codeState: 'blocked' }
  if (undeliveredAt(timeline, now)) return { codeState: 'undelivered' }
  // Only the app that created this code knows its lifetime.
  if (appName === undefined) return { codeState: 'live' }
  const issued = codes.find(phone, appName, code)
  if (issued === undefined) return { codeState: 'replaced' }
  if (issued.used) return { codeState: 'used' }
  return { codeState: now < issued.expiresAt ? 'live' : 'expired', codeExpiresAt: issued.expiresAt }
}
