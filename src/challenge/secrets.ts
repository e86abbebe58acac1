import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { memoize } from '../lib/memoize.js'

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
  | 'authenticator'
  | 'destination'

export interface Secrets {
  /** A keyed hash for stored values. Uses the last secret, so that rotation moves no ledger. */
  tag(use: SecretUse, value: string): string
  /** Encrypts with the first secret, bound to `context`. */
  seal(use: SecretUse, value: string, context: string): string
  /** What was sealed under any of the secrets and the same context, else undefined. */
  open(use: SecretUse, sealed: string, context: string): string | undefined
}

const ivBytes = 12
const authTagBytes = 16

/** Derives one subkey per use and secret (HKDF, RFC 5869). */
export function createSecrets(secrets: readonly [string, ...string[]]): Secrets {
  const keysOf = memoize((use) =>
    secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', `express-two-factor:${use}`, 32))),
  )
  const firstKey = (use: SecretUse) => keysOf(use).at(0) as Buffer
  const lastKey = (use: SecretUse) => keysOf(use).at(-1) as Buffer

  return {
    tag: (use, value) => createHmac('sha256', lastKey(use)).update(value).digest('base64url'),
    seal(use, value, context) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', firstKey(use), iv).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(value), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
    },
    open(use, sealed, context) {
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
