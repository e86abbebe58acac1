import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/** What a code belongs to: typed for another number or app, it is worth nothing. */
export interface CodeOwner {
  readonly destination: string
  readonly appName: string
}

const nonceBytes = 16

/**
 * Handles that stand for a code without telling it: a keyed hash of code, number and app-name under a nonce.
 * The first secret makes them, all recognize them.
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
    /** Whether the handle stands for this code; undefined when it is not one of ours. */
    fits(handle: string, code: string, owner: CodeOwner): boolean | undefined {
      const [, nonce, digest] = /^([\w-]{22})\.([\w-]{43})$/.exec(handle) ?? []
      if (nonce === undefined || digest === undefined) return undefined
      const given = Buffer.from(digest, 'base64url')
      // In constant time: how much of a guess was right must not show in how long the answer takes.
      return keys.some((key) => timingSafeEqual(given, hash(key, nonce, code, owner)))
    },
  }
}
