import { BlockList, isIP } from 'node:net'
import type { Request } from 'express'
import type { Requester } from '../../challenge/commands.js'
import { isOneOf, type Method } from '../../challenge/exchange/code-provider.js'
import type { ClientAddress } from '../../challenge/rate-limits/networks.js'
import type { NumberOnFile, OnFile } from '../../challenge/reach/destinations.js'
import type { SignatureFactor } from '../../challenge/reach/signer.js'
import { TwoFactorError } from '../../errors.js'
import { hostFunction } from '../../lib/host-function.js'
import { isPlainObject } from '../../lib/json.js'
import { memoize } from '../../lib/memoize.js'
import { isThenable } from '../../lib/promises.js'
import { readTotpSecret, type TotpSecret } from '../../lib/totp.js'
import { maxNumbersOnFile, phoneCountries } from '../../phone-number.js'
import { InvalidSecret } from './app-secrets.js'
import type { PendingUserCheck } from './pending-user-check.js'
import type { Sessions } from './sessions.js'
import type { Warn } from './warnings.js'

// Identifies the requester: account, session, address and the factors on file.

/** Returns the account that is signing in or signed in. Null or undefined if there is none. */
export type SubjectOf = (req: Request) => SubjectName | null | undefined
export type SubjectName = string | number | bigint

const maxSubjectLength = 256

/** Returns why a value cannot identify an account, or undefined if it can. */
function faultOf(name: unknown): string | undefined {
  if (typeof name === 'number' && !Number.isSafeInteger(name)) return 'a number that is not a safe integer'
  if (typeof name !== 'string' && typeof name !== 'number' && typeof name !== 'bigint') {
    return isThenable(name) ? 'a promise' : `a value of type ${typeof name}`
  }
  const { length } = String(name)
  return length === 0 || length > maxSubjectLength ? `a string of ${length} characters` : undefined
}

const strings = `a string of 1 to ${maxSubjectLength} characters`

/** Returns an account id as a string. Throws a TypeError for a value that cannot identify an account. */
export function subjectText(name: SubjectName): string {
  const fault = faultOf(name)
  if (fault === undefined) return String(name)
  throw new TypeError(`subject must be ${strings}, a safe integer or a bigint; it is ${fault}`)
}

/** Returns the requester of a call. Throws a TypeError if account or session is missing. */
export function requesterOf(given: { readonly subject: SubjectName; readonly session: string }): Requester {
  const { subject, session } = given
  if (typeof session !== 'string' || session === '')
    throw new TypeError('session must be a non-empty string: the id of the session')
  return { subject: subjectText(subject), session }
}

/** Creates the functions that identify a requester by the option `subject`. `check` sees the result. */
export function createIdentify(option: SubjectOf, sessions: Sessions, check: PendingUserCheck) {
  const ask = hostFunction(option)

  /** Returns the account id as a string, or undefined for an anonymous request. */
  function subjectOf(req: Request): string | undefined {
    const name = ask(req)
    if (name === null || name === undefined) return undefined
    const fault = faultOf(name)
    if (fault === undefined) return String(name)
    const why = isThenable(name)
      ? 'be synchronous, because the guard calls it on every request'
      : `return ${strings}, a safe integer, a bigint, null or undefined`
    throw new TypeError(`subject returned ${fault}; it must ${why}`)
  }

  /** Returns undefined for an anonymous request. Call `Sessions.open` first. */
  function identify(req: Request): Requester | undefined {
    const subject = subjectOf(req)
    if (subject === undefined) {
      check.anonymous(req)
      return undefined
    }
    check.identified()
    return { subject, session: sessions.idOf(req) }
  }

  return {
    subjectOf,
    identify,
    /** Throws `not_identified` for an anonymous request. */
    identified(req: Request): Requester {
      const requester = identify(req)
      if (requester === undefined) throw new TwoFactorError('not_identified')
      return requester
    },
    /** Like `identify`, for a session that is not opened yet. */
    async identifyLater(req: Request): Promise<Requester | undefined> {
      const subject = subjectOf(req)
      if (subject === undefined) return undefined
      await sessions.open(req)
      return { subject, session: sessions.idOf(req) }
    },
  }
}

const privateNetworks = new BlockList()
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
] as const) {
  privateNetworks.addSubnet(network, prefix, 'ipv4')
}
privateNetworks.addAddress('::1', 'ipv6')
privateNetworks.addSubnet('fc00::', 7, 'ipv6')
privateNetworks.addSubnet('fe80::', 10, 'ipv6')

export type AddressOf = (req: Request) => ClientAddress

/**
 * Returns the client address for the rate limits. A private or missing address may be that of a proxy: all clients
 * behind it share ten times the limits, whatever the headers contain. Texts that are no address count as one address,
 * like clients that have disconnected.
 */
export function createAddressOf(warn: Warn): AddressOf {
  return (req) => {
    const given = req.app.enabled('trust proxy') ? req.ip : req.socket.remoteAddress
    const address = bareAddress(given)
    const proxied = address === undefined || isPrivate(address)
    if (proxied && !req.socket.destroyed && namesOthers(req, address)) warn('TWO_FACTOR_TRUST_PROXY_MISSING')
    return { address: address ?? 'unknown', proxied }
  }
}

/**
 * Returns an address without the port that some gateways add, which differs per connection. Returns undefined for other
 * text.
 */
function bareAddress(given = ''): string | undefined {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/.exec(given.trim()) ?? []
  const [address = ''] = (bracketed ?? plain ?? given.trim()).split('%')
  return isIP(address) === 0 ? undefined : address
}

/**
 * Returns whether a forwarded header names an address beyond the counted one, because Express does not know all
 * proxies.
 */
function namesOthers({ headers }: Request, address: string | undefined): boolean {
  const { 'x-forwarded-for': forwardedFor = [], forwarded } = headers
  const named = String(forwardedFor)
    .split(',')
    .filter((name) => name.trim() !== '')
  if (named.length === 0) return forwarded !== undefined
  // Only addresses further away than the counted one. Nearer addresses are known proxies.
  return address === undefined || named.map(bareAddress).lastIndexOf(address) !== 0
}

const isPrivate = memoize((address) =>
  privateNetworks.check(address, address.includes(':') ? 'ipv6' : 'ipv4'),
)

type MayTakeTime<Value> = Value | null | undefined | Promise<Value | null | undefined>

/**
 * The number on file of a subject, in international form such as `+573001234567`; nothing when there is none. Or up to
 * five, the preferred one first: the person chooses. A national number needs its country, as `{ phone, country }`.
 *
 * @example
 * phone: (req, subject) => ['+573001234567', { phone: '+5716012345', methods: ['call'], label: 'Office' }]
 */
export type PhoneOf = (
  req: Request,
  subject: string,
) => MayTakeTime<string | NumberOnFile | readonly (string | NumberOnFile)[]>

/** Authenticator apps of the subjects. */
export interface AuthenticatorOptions {
  /**
   * Returns the secret on file: base32 from `tf.authenticators`, an `otpauth://totp/` URI of another system, or nothing.
   * An attacker who reads a secret can generate codes, so store it encrypted. If the function throws or returns anything
   * else, only the app is unavailable, and `factor.unreadable` names the cause.
   *
   * @example
   * secretOf: async (req, subject) => decrypt((await users.find(subject)).authenticator)
   */
  readonly secretOf: (req: Request, subject: string) => MayTakeTime<string>
  /** Name of your app. The authenticator app shows it above the code. It must not contain a colon. */
  readonly issuer: string
  /**
   * Returns the name of the account. The authenticator app shows it beside the issuer. Default: the subject.
   *
   * @example
   * label: (req) => req.user.email
   */
  readonly label?: (req: Request, subject: string) => MayTakeTime<string>
}

/** 80 bits, the length of the shortest secrets in use. Secrets of this package have 160 bits. */
const minBytes = 10

/** Returns the factors on file of an account, from the options `phone`, `authenticator` and `passkeys`. */
export function createOnFile(options: {
  readonly phone: PhoneOf
  readonly authenticator?: AuthenticatorOptions | undefined
  readonly passkeys?: SignatureFactor | undefined
  readonly methods: readonly Method[]
}) {
  const { authenticator, passkeys, methods } = options
  const phoneOf = hostFunction(options.phone)
  const secretOf = authenticator && hostFunction(authenticator.secretOf)
  const signerOf = passkeys && hostFunction((subject: string) => passkeys.signerOf(subject))
  const numbersIn = (onFile: unknown) => readNumbers(onFile, methods)
  return {
    /** Reads the result of `phone`. */
    numbersIn,
    numbersOf: async (req: Request, subject: string) => numbersIn(await phoneOf(req, subject)),
    /**
     * Returns whether an account has any factor on file: a number, even one that is unreadable or not allowed, an app or a
     * passkey. A secret or passkeys that cannot be read count as one.
     */
    async hasFactor(req: Request, subject: string): Promise<boolean> {
      const onFile = await Promise.all([
        phoneOf(req, subject),
        secretOf && (async () => secretOf(req, subject))().catch(() => 'unreadable'),
        signerOf && (async () => signerOf(subject))().catch(() => 'unreadable'),
      ])
      return !onFile.every(isEmpty)
    },
    /** Returns the passkeys of an account. Absent without the option. */
    signerOf: signerOf && (async (_req: Request, subject: string) => signerOf(subject)),
    /** Returns the secret that an account shares with its app. Absent without apps. */
    secretOf: secretOf && (async (req: Request, subject: string) => readSecret(await secretOf(req, subject))),
  }
}

const isEmpty = (onFile: unknown): boolean =>
  onFile === undefined || onFile === null || onFile === '' || (Array.isArray(onFile) && onFile.length === 0)

/** Reads the result of `authenticator.secretOf`. Throws a TypeError that does not contain it. */
export function readSecret(onFile: unknown): TotpSecret | undefined {
  if (onFile === undefined || onFile === null || onFile === '') return undefined
  const secret = typeof onFile === 'string' ? readTotpSecret(onFile) : undefined
  if (secret !== undefined && secret.key.length >= minBytes) return secret
  throw new InvalidSecret(
    'authenticator.secretOf must return a secret of tf.authenticators, at least 16 characters of base32, an otpauth://totp/ URI (SHA1, SHA256 or SHA512; 6 or 8 digits; 10 to 120 s), or undefined',
  )
}

/** Returns whether the value is one number with its country. With more members it is a list of one. */
function isNationalNumber(onFile: unknown): onFile is Required<Pick<OnFile, 'phone' | 'country'>> {
  const { phone, country, ...more } = Object(onFile)
  return typeof phone === 'string' && phoneCountries.has(country) && Object.keys(more).length === 0
}

/** Reads the result of the option `phone`. Throws a TypeError that contains no number. */
function readNumbers(onFile: unknown, methods: readonly Method[]): OnFile {
  if (onFile === undefined || onFile === null || onFile === '') return {}
  if (typeof onFile === 'string') return { phone: onFile }
  if (isNationalNumber(onFile)) return onFile
  const list = isPlainObject(onFile) ? [onFile] : onFile
  if (!Array.isArray(list) || list.length > maxNumbersOnFile) {
    const what = Array.isArray(list) ? `${list.length} numbers` : `a value of type ${typeof onFile}`
    throw new TypeError(
      `phone returned ${what}; it must return a string, { phone, country }, a list of up to ${maxNumbersOnFile}, or undefined`,
    )
  }
  const numbers = list.map((given: unknown, index): NumberOnFile => {
    const number = typeof given === 'string' ? { phone: given } : Object(given)
    const { phone, country, methods: own = [], label = '' } = number
    const areStrings = [phone, label].every((text) => typeof text === 'string')
    const isKnown = country === undefined || phoneCountries.has(country)
    if (areStrings && isKnown && Array.isArray(own) && own.every((name) => isOneOf(methods, name)))
      return number
    throw new TypeError(
      `phone: number ${index + 1} must be a string, or { phone, country, methods, label } with an ISO 3166 code and methods of the provider`,
    )
  })
  return numbers.length === 0 ? {} : { numbers }
}
