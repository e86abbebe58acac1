import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import type { Emit } from '../events.js'
import { memoize } from '../lib/memoize.js'
import type { Background } from '../lib/promises.js'
import type { PhoneNumber } from '../phone-number.js'
import type { Kind, Store } from '../store/store.js'

// What a reader of the store can make nothing of: the keys of entries, and values that are hashed or sealed under the
// secrets of the host; and with them what every part of the domain stands on.

/** What every part of the domain stands on, whatever it needs besides. */
export interface DomainServices {
  /** Behind its deadline. */
  readonly store: Store
  readonly keys: Keys
  readonly secrets: Secrets
  readonly background: Background
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly emit: Emit
}

/** 132 bits: it is in the ledger with every send. */
const numberTagLength = 22

export type CounterKind = Extract<Kind, `count-${string}` | `number-${string}`>

export type Keys = ReturnType<typeof createKeys>

/** The keys of all entries in the store. None contains a readable number, code, session id or subject. */
export function createKeys(namespace: string, secrets: Secrets) {
  // Not a template: V8 would keep it as a rope of its parts, which takes more memory in the store.
  const key = (kind: Kind, tag: string) => ['tf3', namespace, kind, tag].join(':')
  // Memoized: every code for the same number needs it again. Through a buffer: V8 would keep the whole of what a piece
  // is cut from, 58 bytes in each ledger.
  const tagOf = memoize((phone) =>
    Buffer.from(secrets.tag('number-tag', phone).slice(0, numberTagLength)).toString(),
  )
  return {
    /** The ledger of an account at sign-in, over all that it has on file. */
    account: (subject: string) => key('auth', hashId(subject)),
    /** The ledger of a number at sign-up, by its tag. */
    enrolled: (number: string) => key('enrol', number),
    /** A keyed hash of a number. */
    number: (phone: PhoneNumber) => tagOf(phone),
    /** The record of a subject: grants, revocations, when its devices ended, tried recovery codes. */
    // Used by the guard on every request: V8 hashes the same string object only once.
    grants: memoize((subject) => key('grants', hashId(subject))),
    devices: (subject: string) => key('devices', hashId(subject)),
    /** The number that a session proves, sealed. */
    enrolment: (session: string) => key('enrolment', hashId(session)),
    /** A form that waits for a code. */
    forms: (id: string) => key('forms', hashId(id)),
    /** What the processes of an app leave for an operator's command. */
    deployment: () => key('deployment', 'last'),
    /** The pause of all sign-ups. */
    signupPause: () => key('signup-pause', 'all'),
    /** A counter: what it counts, and for which holder. */
    counter: (kind: CounterKind, holder: string) => key(kind, holder),
  }
}

/** SHA-256 of a session id or subject. These are long or public, so no key is needed. Memoized: they recur with every request. */
export const hashId = memoize((id) => hash('sha256', id, 'base64url'))

/** What a subkey is for. Each use has its own key, so that no token of one use is valid for another. */
export type SecretUse =
  | 'number-tag'
  | 'code-tag'
  | 'bound-tag'
  | 'requirement'
  | 'return-path'
  | 'enrolment'
  | 'form'
  | 'handle'
  | 'details'
  | 'challenge'
  | 'authenticator'
  | 'destination'
  | 'device'
  | 'device-name'
  | 'deployment'

export type Secrets = ReturnType<typeof createSecrets>

const ivBytes = 12
const authTagBytes = 16

/** Derives one subkey per use and secret (HKDF, RFC 5869). */
export function createSecrets(secrets: readonly [string, ...string[]]) {
  const keysOf = memoize((use) =>
    secrets.map((secret) =>
      // As an object, which a hash takes without a copy of its own.
      createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `express-two-factor:${use}`, 32))),
    ),
  )
  const firstKey = (use: SecretUse) => keysOf(use).at(0) as KeyObject
  const lastKey = (use: SecretUse) => keysOf(use).at(-1) as KeyObject

  const hmac = (key: KeyObject, value: string) => createHmac('sha256', key).update(value).digest('base64url')

  return {
    /** Keyed hashes under each secret, that of the first one first: for what is handed out, and verified under any. */
    tags(use: SecretUse, value: string): readonly [string, ...string[]] {
      return [
        hmac(firstKey(use), value),
        ...keysOf(use)
          .slice(1)
          .map((key) => hmac(key, value)),
      ]
    },
    /** A keyed hash for stored values. Uses the last secret, so that rotation moves no ledger. */
    tag: (use: SecretUse, value: string) => hmac(lastKey(use), value),
    /** Encrypts with the first secret, bound to `context`. */
    seal(use: SecretUse, value: string, context: string): string {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', firstKey(use), iv).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(value), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
    },
    /** What was sealed under any of the secrets and the same context, else undefined. */
    open(use: SecretUse, sealed: string, context: string): string | undefined {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length < ivBytes + authTagBytes) return undefined
      // Decoding passes over what is not base64url: one token would have any number of spellings.
      if (bytes.toString('base64url') !== sealed) return undefined
      const iv = bytes.subarray(0, ivBytes)
      const authTag = bytes.subarray(ivBytes, ivBytes + authTagBytes)
      const body = bytes.subarray(ivBytes + authTagBytes)
      for (const key of keysOf(use)) {
        const decipher = createDecipheriv('aes-256-gcm', key, iv)
          .setAAD(Buffer.from(context))
          .setAuthTag(authTag)
        try {
          return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
        } catch {
          // Sealed under another secret of the rotation, or not by us: try the next key.
        }
      }
      return undefined
    },
  }
}
