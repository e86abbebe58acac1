import { randomBytes } from 'node:crypto'

/** Returns a secret from the environment, or a random one for this run, because a published secret protects nothing. */
export function secret(name: string): string {
  const configured = process.env[name]
  if (configured !== undefined) return configured
  console.warn(`${name} is not set: using a random secret, so sign-ins end when this process does`)
  return randomBytes(32).toString('base64')
}
