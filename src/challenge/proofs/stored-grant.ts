import { TwoFactorError } from '../../errors.js'
import { isPlainObject } from '../../lib/json.js'
import { clockLeewayMs } from '../../lib/time.js'
import type { Requester } from '../commands.js'
import type { Channel } from '../exchange/code-provider.js'
import type { Secrets } from '../keys.js'
import type { ProofRequirement } from '../purposes.js'

/** What proved it: `code`, `app`, `trusted-device`, `recovery-code`, or a name of the host's, `host` by default. */
export type GrantMethod = string

/** What was proven, and by what. */
export type ProvenFacts = {
  readonly purpose: string
  /** Hash of the bound fields. */
  readonly bound?: string | undefined
  readonly method: GrantMethod
  /** How the last code travelled; absent where none was sent. */
  readonly channel?: Channel | undefined
}

/** One stored grant. Sessions are tags; at `expiresAt` no guard accepts it any more. */
export type StoredGrant = ProvenFacts & {
  readonly id: string
  readonly session: string
  /** The last ids that the session had before: a logout that began under one of them reaches this grant, too. */
  readonly earlier: readonly string[]
  readonly verifiedAt: number
  readonly expiresAt: number
  /** Not confirmed yet: it admits nothing. */
  readonly provisional?: true | undefined
}

/** What a guard asks of a stored grant. A recovery code is not enough by default, since it proves no phone. */
export interface GrantQuery extends ProofRequirement, Requester {
  readonly maxAgeMs: number
}

/** Whether it is what a guard asks for, whoever may use it. */
export function meets(grant: StoredGrant, demand: GrantQuery, now: number): boolean {
  return (
    grant.purpose === demand.purpose &&
    // Absence included: a grant for one payment admits no request that binds nothing.
    grant.bound === demand.bound &&
    // Its request may have been refused: a frozen store can write late.
    grant.provisional === undefined &&
    isEnough(grant, demand) &&
    isFresh(grant, demand.maxAgeMs, now)
  )
}

/** Whether what proved it will do. */
function isEnough({ method }: StoredGrant, accepted: ProofRequirement): boolean {
  if (accepted.requireCode && method === 'trusted-device') return false
  // Written down once and kept for years: a way back into an account (NIST SP 800-63B-4, 4.2), no step-up.
  if (accepted.recoveryCode !== true && method === 'recovery-code') return false
  return accepted.methods?.includes(method) ?? true
}

/** The age of a grant never slides. A grant from the future was written with a wrong clock. */
function isFresh(grant: StoredGrant, maxAgeMs: number, now: number): boolean {
  const age = now - grant.verifiedAt
  return age < maxAgeMs && now < grant.expiresAt && age >= -clockLeewayMs
}

/** A newer proof replaces one of its kind, not the passkey that another guard requires. */
export function replaces(added: StoredGrant, other: StoredGrant): boolean {
  return (
    other.session === added.session &&
    other.purpose === added.purpose &&
    other.bound === added.bound &&
    other.method === added.method
  )
}

/** What a grant may be bound to: plain data that is the same at the refusal and at the retry. */
export type BoundFields = { readonly [member: string]: BoundValue }
/** One value of bound fields. A Date, NaN or undefined is refused with a TypeError that names the member. */
export type BoundValue = null | boolean | number | string | readonly BoundValue[] | BoundFields

/** Turns bound fields into what grants, challenges and requirements keep of them. */
export type HashBound = (fields: BoundFields) => string

const maxDepth = 32

/** A field without a value: the visitor has left it out or sent 1e400, or the host reads it from nowhere. */
export class EmptyField extends TypeError {
  constructor(
    message: string,
    /** For whoever has sent it. */
    readonly complaint: string,
  ) {
    super(message)
  }
}

/**
 * Keyed hash of bound fields over canonical JSON: key order does not matter, everything else does. Keyed and
 * per namespace, because amount and payee have few likely values: a plain hash is reversed by trying them.
 *
 * The function throws a TypeError that names the member which is not plain data (`undefined` would silently
 * bind to nothing), and a TwoFactorError `invalid_request` for what is nested too deeply.
 *
 * @example
 * const hashBound = createBoundHash(secrets, namespace)
 * hashBound({ amount: 100, payee: 'ACME' }) === hashBound({ payee: 'ACME', amount: 100 }) // true
 */
export function createBoundHash(secrets: Secrets, namespace: string): HashBound {
  return (fields) => {
    if (!isPlainObject(fields)) throw notPlain('bind', fields)
    return secrets.tag('bound-tag', `${namespace} ${canonical(fields, 'bind', 1)}`)
  }
}

function canonical(value: unknown, path: string, depth: number): string {
  // The visitor controls the nesting: a deep body must not exhaust the stack (CWE-674), nor a cycle go on for ever.
  if (depth > maxDepth) {
    throw new TwoFactorError('invalid_request', { message: `More than ${maxDepth} levels of nesting.` })
  }
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (Number.isFinite(value)) return JSON.stringify(value)
  if (Array.isArray(value)) {
    // Not map: it would skip the holes of a sparse array.
    return `[${Array.from(value, (item, index) => canonical(item, `${path}[${index}]`, depth + 1)).join(',')}]`
  }
  if (!isPlainObject(value)) throw notPlain(path, value)
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name], `${path}.${name}`, depth + 1)}`)
  return `{${members.join(',')}}`
}

/** Asked where a field is missing; the guard goes on from it, where no parser ran. */
export const parserQuestion = 'Is the body parsed before the guard?'

function notPlain(path: string, value: unknown): TypeError {
  const kind =
    typeof value === 'object'
      ? (value?.constructor?.name ?? 'object')
      : typeof value === 'number'
        ? value
        : typeof value
  const hint =
    value instanceof Promise
      ? 'bind must be synchronous: read what it needs in a middleware before the guard.'
      : parserQuestion
  const message = `${path} is ${kind}: bound fields must be finite numbers, strings, booleans, null, arrays or plain objects. ${hint}`
  const field = path.replace(/^bind\.?/, '')
  if (field === '' || (value !== undefined && typeof value !== 'number')) return new TypeError(message)
  return new EmptyField(
    message,
    `${field} ${value === undefined ? 'is missing' : 'must be a finite number'}.`,
  )
}
