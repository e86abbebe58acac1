import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../keys.js'

// Signed marks by which a browser is recognised. No store has to keep them.

/** Content of a device cookie with a valid signature. */
export interface DeviceMark {
  /** 128 random bits, also stored in the row of a trusted device. */
  readonly id: string
  /** Time at which the cookie was set, in milliseconds since 1970. */
  readonly at: number
}

const tokenPattern = /^(?<id>[\w-]{22})\.(?<at>[0-9a-z]{1,9})\.(?<signature>[\w-]{43})$/
/** 72 bits, so that two accounts in one browser do not share a name. */
const nameLength = 12

export const newDeviceId = (): string => randomBytes(16).toString('base64url')

/**
 * Returns the time in a token, signed or not, or 0 for any other text. Use it only to order the cookies of a browser.
 */
export function timeIn(token: string): number {
  return Number.parseInt(tokenPattern.exec(token)?.groups?.at ?? '0', 36)
}

/**
 * Signs and verifies device cookies. A cookie of another account or namespace is invalid, even under this account's
 * name (IDOR).
 */
export function createDeviceMarks(secrets: Secrets, namespace: string) {
  const signaturesOf = (subject: string, id: string, at: string) =>
    secrets.tags('device', JSON.stringify([namespace, subject, id, at]))

  return {
    /**
     * Returns the suffixes of an account's cookie names: the one in use, then those under earlier secrets. They are
     * keyed, so that a shared browser reveals no account.
     */
    namesFor: (subject: string): readonly string[] =>
      secrets
        .tags('device-name', JSON.stringify([namespace, subject]))
        .map((tag) => tag.slice(0, nameLength)),

    sign(subject: string, { id, at }: DeviceMark): string {
      const time = at.toString(36)
      return [id, time, signaturesOf(subject, id, time)[0]].join('.')
    },

    /** Returns the content of a token, or undefined if no secret has signed it for this account. */
    read(subject: string, token: string): DeviceMark | undefined {
      const { id = '', at = '', signature = '' } = tokenPattern.exec(token)?.groups ?? {}
      const isSigned = signaturesOf(subject, id, at).some((own) => areEqual(own, signature))
      return isSigned ? { id, at: Number.parseInt(at, 36) } : undefined
    },
  }
}

function areEqual(own: string, shown: string): boolean {
  return own.length === shown.length && timingSafeEqual(Buffer.from(own), Buffer.from(shown))
}
