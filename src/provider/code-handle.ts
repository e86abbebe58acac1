import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** Owner of a code. The code is invalid for another number or app-name. */
export interface CodeOwner {
  readonly destination: string
  readonly appName: string
}

const nonceBytes = 16

/**
 * Creates handles that identify a code without revealing it: a keyed hash of code, number and app-name with a nonce.
 * The first secret creates handles, all secrets recognise them.
 */
export function createHandles(secrets: readonly string[]) {
  const keys = secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'express-two-factor:own-code', 32)),
  )
  function hash(key: Buffer, nonce: string, code: string, { destination, appName }: CodeOwner): Buffer {
    return createHmac('sha256', key)
      .update(JSON.stringify([nonce, destination, appName, code]))
      .digest()
  }

  return {
    make(code: string, owner: CodeOwner): string {
      const nonce = randomBytes(nonceBytes).toString('base64url')
      return `${nonce}.${hash(keys.at(0) as Buffer, nonce, code, owner).toString('base64url')}`
    },
    /** Returns whether the handle belongs to this code. Undefined: the handle is not from this provider. */
    fits(handle: string, code: string, owner: CodeOwner): boolean | undefined {
      const [, nonce, digest] = /^([\w-]{22})\.([\w-]{43})$/.exec(handle) ?? []
      if (nonce === undefined || digest === undefined) return undefined
      const given = Buffer.from(digest, 'base64url')
      // Compares in constant time: the response time must not reveal how much of a guess is correct.
      return keys.some((key) => timingSafeEqual(given, hash(key, nonce, code, owner)))
    },
  }
}
