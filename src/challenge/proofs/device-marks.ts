import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { PhoneNumber } from '../../phone-number.js'
import type { Secrets } from '../keys.js'

// Signed marks by which a browser is recognised. No store has to keep them.

/** Content of a device cookie with a valid signature. */
export interface DeviceMark {
  /** 128 random bits, also stored in the row of a trusted device. */
  readonly id: string
  /** Time at which the cookie was set, in milliseconds since 1970. */
  readonly at: number
  /** Numbers whose code was correct in this browser, the newest last. */
  readonly numbers: readonly VerifiedNumber[]
}

/** A number to which a code was sent that was correct in this browser, for this account. */
interface VerifiedNumber {
  /** Keyed hash of account and number. */
  readonly tag: string
  /** Time of that success, in milliseconds since 1970. */
  readonly at: number
}

const tokenPattern =
  /^(?<id>[\w-]{22})\.(?<at>[0-9a-z]{1,9})(?<numbers>(?:\.[\w-]{12}[0-9a-z]{1,9}){0,3})\.(?<signature>[\w-]{43})$/
/** An account has few numbers, and a cookie little room. */
const maxNumbers = 3
/** 72 bits, so that two accounts in one browser do not share a name. */
const nameLength = 12
const numberTagLength = 12

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
  const signaturesOf = (subject: string, ...signed: readonly string[]) =>
    secrets.tags('device', JSON.stringify([namespace, subject, ...signed]))
  /** Returns the tag of a number under the secret in use, then those under earlier secrets. */
  const numberTagsOf = (subject: string, phone: PhoneNumber): readonly [string, ...string[]] => {
    const [current, ...earlier] = secrets.tags('device-number', JSON.stringify([namespace, subject, phone]))
    const shorten = (tag: string) => tag.slice(0, numberTagLength)
    return [shorten(current), ...earlier.map(shorten)]
  }

  return {
    /**
     * Returns the suffixes of an account's cookie names: the one in use, then those under earlier secrets. They are
     * keyed, so that a shared browser reveals no account.
     */
    namesFor: (subject: string): readonly string[] =>
      secrets
        .tags('device-name', JSON.stringify([namespace, subject]))
        .map((tag) => tag.slice(0, nameLength)),

    sign(subject: string, { id, at, numbers }: DeviceMark): string {
      const time = at.toString(36)
      const listed = numbers.map((one) => `.${one.tag}${one.at.toString(36)}`).join('')
      return `${id}.${time}${listed}.${signaturesOf(subject, id, time, listed)[0]}`
    },

    /** Returns the time of the last correct code that was sent to a number. 0 if there was none. */
    verifiedAt(subject: string, { numbers }: DeviceMark, phone: PhoneNumber): number {
      const tags = numberTagsOf(subject, phone)
      return Math.max(0, ...numbers.filter(({ tag }) => tags.includes(tag)).map(({ at }) => at))
    },

    /** Returns the numbers after a correct code that was sent to `phone`. */
    withNumber(
      subject: string,
      numbers: DeviceMark['numbers'],
      phone: PhoneNumber,
      at: number,
    ): DeviceMark['numbers'] {
      const tags = numberTagsOf(subject, phone)
      const others = numbers.filter(({ tag }) => !tags.includes(tag))
      return [...others, { tag: tags[0], at }].slice(-maxNumbers)
    },

    /** Returns the content of a token, or undefined if no secret has signed it for this account. */
    read(subject: string, token: string): DeviceMark | undefined {
      const { id = '', at = '', numbers = '', signature = '' } = tokenPattern.exec(token)?.groups ?? {}
      const isSigned = signaturesOf(subject, id, at, numbers).some((own) => areEqual(own, signature))
      return isSigned ? { id, at: Number.parseInt(at, 36), numbers: parseNumberMarks(numbers) } : undefined
    },
  }
}

const parseNumberMarks = (listed: string): DeviceMark['numbers'] =>
  listed
    .split('.')
    .slice(1)
    .map((one) => ({
      tag: one.slice(0, numberTagLength),
      at: Number.parseInt(one.slice(numberTagLength), 36),
    }))

function areEqual(own: string, given: string): boolean {
  return own.length === given.length && timingSafeEqual(Buffer.from(own), Buffer.from(given))
}
