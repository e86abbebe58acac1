import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../keys.js'

// What a browser is recognized by: signed, so that no store has to keep it.

/** What a device cookie says, once its signature was verified. */
export interface DeviceMark {
  /** 128 random bits; the row of a trusted device has it, too. */
  readonly id: string
  /** When the cookie was set, in milliseconds since 1970. */
  readonly at: number
}

const tokenPattern = /^(?<id>[\w-]{22})\.(?<at>[0-9a-z]{1,9})\.(?<signature>[\w-]{43})$/
/** 72 bits, so that no two accounts of a browser share a name. */
const nameLength = 12

export const newDeviceId = (): string => randomBytes(16).toString('base64url')

/** When a token says that it was set, signed or not; 0 for what is no token. For their order in a browser alone. */
export function timeIn(token: string): number {
  return Number.parseInt(tokenPattern.exec(token)?.groups?.at ?? '0', 36)
}

/**
 * Signs and verifies device cookies. One of another subject or namespace is worth nothing, even under the name of this
 * one (IDOR).
 */
export function createDeviceMarks(secrets: Secrets, namespace: string) {
  const signaturesOf = (subject: string, id: string, at: string) =>
    secrets.tags('device', JSON.stringify([namespace, subject, id, at]))

  return {
    /**
     * How the names of a subject's cookies end: of the one that is set now, and of those under earlier secrets. Keyed: a
     * browser that several people use tells nobody who they are.
     */
    namesFor: (subject: string): readonly string[] =>
      secrets
        .tags('device-name', JSON.stringify([namespace, subject]))
        .map((tag) => tag.slice(0, nameLength)),

    sign(subject: string, { id, at }: DeviceMark): string {
      const time = at.toString(36)
      return [id, time, signaturesOf(subject, id, time)[0]].join('.')
    },

    /** What the token says; undefined when none of the secrets has signed it for this subject. */
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
