import { randomBytes } from 'node:crypto'

/** A secret from the environment. Unset, a random one for this run: one that is published protects nothing. */
export function secret(name: string): string {
  const configured = process.env[name]
  if (configured !== undefined) return configured
  console.warn(`${name} is not set: using a random secret, so sign-ins end when this process does`)
  return randomBytes(32).toString('base64')
}
