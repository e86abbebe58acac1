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

// Keys of store entries, and values that are hashed or sealed under the app's secrets. A reader of the store learns
// nothing from them.

/** Services that every part of the domain uses. */
export interface DomainServices {
  /** The store with its deadline. */
  readonly store: Store
  readonly keys: Keys
  readonly secrets: Secrets
  readonly background: Background
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  readonly emit: Emit
}

/** 132 bits, because the ledger contains it with every send. */
const numberTagLength = 22

export type CounterKind = Extract<Kind, `count-${string}` | `number-${string}`>

export type Keys = ReturnType<typeof createKeys>

/** Creates the keys of all store entries. None contains a readable number, code, session id or account id. */
export function createKeys(namespace: string, secrets: Secrets) {
  // Not a template: V8 would keep a rope of its parts, which needs more memory in the store.
  const key = (kind: Kind, tag: string) => ['tf3', namespace, kind, tag].join(':')
  // Memoized, because every code for a number needs it. Copied through a buffer: V8 would keep the whole text of which
  // this is a part, 58 bytes in each ledger.
  const tagOf = memoize((phone) =>
    Buffer.from(secrets.tag('number-tag', phone).slice(0, numberTagLength)).toString(),
  )
  return {
    /** Ledger of an account at sign-in, over all its factors. */
    account: (subject: string) => key('auth', hashId(subject)),
    /** Ledger of a number at sign-up, by its tag. */
    enrolled: (number: string) => key('enrol', number),
    /** Keyed hash of a number. */
    number: (phone: PhoneNumber) => tagOf(phone),
    /** Record of an account: grants, revocations, the time at which its devices were revoked, tried recovery codes. */
    // The guard uses it for every request, and V8 hashes a string object only once.
    grants: memoize((subject) => key('grants', hashId(subject))),
    devices: (subject: string) => key('devices', hashId(subject)),
    /** The number that a session verifies, sealed. */
    enrolment: (session: string) => key('enrolment', hashId(session)),
    /** A saved form. */
    forms: (id: string) => key('forms', hashId(id)),
    /** The record of an app for an operator's command. */
    deployment: () => key('deployment', 'last'),
    /** The pause of all sign-ups. */
    signupPause: () => key('signup-pause', 'all'),
    /** A counter of one kind for one holder. */
    counter: (kind: CounterKind, holder: string) => key(kind, holder),
  }
}

/**
 * Hashes a session id or account id with SHA-256. They are long or public, so no key is needed. Memoized, because they
 * recur with every request.
 */
export const hashId = memoize((id) => hash('sha256', id, 'base64url'))

/** Uses of subkeys. Each use has its own key, so that a token of one use is invalid for another. */
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
  | 'device-number'
  | 'deployment'

export type Secrets = ReturnType<typeof createSecrets>

const ivBytes = 12
const authTagBytes = 16

/** Derives one subkey per use and secret (HKDF, RFC 5869). */
export function createSecrets(secrets: readonly [string, ...string[]]) {
  const keysOf = memoize((use) =>
    secrets.map((secret) =>
      // A key object, which a hash uses without a copy.
      createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', `express-two-factor:${use}`, 32))),
    ),
  )
  const firstKey = (use: SecretUse) => keysOf(use).at(0) as KeyObject
  const lastKey = (use: SecretUse) => keysOf(use).at(-1) as KeyObject

  const hmac = (key: KeyObject, value: string) => createHmac('sha256', key).update(value).digest('base64url')

  return {
    /**
     * Returns keyed hashes under each secret, the first secret's first: for values that are handed out and verified
     * under any.
     */
    tags(use: SecretUse, value: string): readonly [string, ...string[]] {
      return [
        hmac(firstKey(use), value),
        ...keysOf(use)
          .slice(1)
          .map((key) => hmac(key, value)),
      ]
    },
    /** Returns a keyed hash for stored values. It uses the last secret, so that a rotation moves no ledger. */
    tag: (use: SecretUse, value: string) => hmac(lastKey(use), value),
    /** Encrypts with the first secret, bound to `context`. */
    seal(use: SecretUse, value: string, context: string): string {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', firstKey(use), iv).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(value), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
    },
    /** Decrypts a value sealed under any secret with this context. Returns undefined for any other value. */
    open(use: SecretUse, sealed: string, context: string): string | undefined {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length < ivBytes + authTagBytes) return undefined
      // Decoding ignores characters outside of base64url, so one token would have many spellings.
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
          // Sealed under another secret of the rotation, or not by this package: try the next key.
        }
      }
      return undefined
    },
  }
}
