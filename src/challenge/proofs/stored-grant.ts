import { TwoFactorError } from '../../errors.js'
import { isPlainObject } from '../../lib/json.js'
import { isThenable } from '../../lib/promises.js'
import { clockLeewayMs } from '../../lib/time.js'
import type { Requester } from '../commands.js'
import type { Channel } from '../exchange/code-provider.js'
import type { Secrets } from '../keys.js'
import type { ProofRequirement } from '../purposes.js'

/**
 * Kind of factor: `code`, `app`, `passkey`, `trusted-device`, `recovery-code`, or a name of your app. Default for
 * `grants.write`: `host`.
 */
export type GrantMethod = string

/** The verified purpose and fields, and the factor. */
export type ProvenFacts = {
  readonly purpose: string
  /** Hash of the bound fields. */
  readonly bound?: string | undefined
  readonly method: GrantMethod
  /** Method by which the last code was sent. Absent if none was sent. */
  readonly channel?: Channel | undefined
}

/** A stored grant. Sessions are tags. No guard accepts it from `expiresAt` on. */
export type StoredGrant = ProvenFacts & {
  readonly id: string
  readonly session: string
  /** Earlier ids of the session. A logout that started under one of them ends this grant, too. */
  readonly earlier: readonly string[]
  readonly verifiedAt: number
  readonly expiresAt: number
  /** Not confirmed yet, so it admits nothing. */
  readonly provisional?: true | undefined
}

/** The grant that a guard requires. By default a recovery code is not enough, because it verifies no phone. */
export interface GrantQuery extends ProofRequirement, Requester {
  readonly maxAgeMs: number
}

/** Returns whether a grant satisfies a query, whatever its session. */
export function meets(grant: StoredGrant, grantQuery: GrantQuery, now: number): boolean {
  return (
    grant.purpose === grantQuery.purpose &&
    // Also if both are absent: a grant for one payment admits no request without bound fields.
    grant.bound === grantQuery.bound &&
    // Its request may have been refused: a frozen store can write late.
    grant.provisional === undefined &&
    isEnough(grant, grantQuery) &&
    isFresh(grant, grantQuery.maxAgeMs, now)
  )
}

/** Returns whether the factor of a grant is accepted. */
function isEnough({ method }: StoredGrant, accepted: ProofRequirement): boolean {
  if (accepted.requireCode && method === 'trusted-device') return false
  // Recovery codes are written down once and kept for years. They recover an account and are no step-up (NIST SP
  // 800-63B-4, 4.2).
  if (accepted.recoveryCode !== true && method === 'recovery-code') return false
  return accepted.methods?.includes(method) ?? true
}

/**
 * Returns whether a grant is young enough. Its age never slides. A grant from the future was written with a wrong
 * clock.
 */
function isFresh(grant: StoredGrant, maxAgeMs: number, now: number): boolean {
  const age = now - grant.verifiedAt
  return age < maxAgeMs && now < grant.expiresAt && age >= -clockLeewayMs
}

/**
 * Returns whether a new grant replaces another one. It replaces its own kind, but not the passkey that another guard
 * requires.
 */
export function replaces(added: StoredGrant, other: StoredGrant): boolean {
  return (
    other.session === added.session &&
    other.purpose === added.purpose &&
    other.bound === added.bound &&
    other.method === added.method
  )
}

/** Fields to which a grant is bound: plain data that is equal at the refusal and at the retry. */
export type BoundFields = { readonly [member: string]: BoundValue }
/**
 * One bound value. A Date, NaN or undefined is a TypeError that names the member. The texts `undefined`, `NaN` and
 * `[object Object]` count as no value: guards and `tf.challenges` refuse them, `grants.read` finds no grant for them, and
 * `grants.write` throws a TypeError.
 */
export type BoundValue = null | boolean | number | string | readonly BoundValue[] | BoundFields

/** Hashes bound fields. Grants, challenges and requirements store the hash. */
export type HashBound = (fields: BoundFields) => string

const maxDepth = 32

/** Texts of a field without a value. With a misspelt name, a code for one amount would confirm any other. */
const emptyTexts: ReadonlySet<unknown> = new Set(['undefined', 'NaN', '[object Object]'])

/** Returns whether a value is a text that `String()` returns for no value. `null` may be a name. */
export const isEmptyText = (value: unknown): value is string => emptyTexts.has(value)

/** A bound field without a value: the client omitted it or sent 1e400, or the app reads it from the wrong object. */
export class EmptyField extends TypeError {
  constructor(
    message: string,
    /** Text for the client. */
    readonly complaint: string,
    /** True for a text that `String()` returns for no value. A client may have written it. */
    readonly isText = false,
  ) {
    super(message)
  }
}

/**
 * Creates a keyed hash of bound fields over canonical JSON: the order of keys is ignored, any other difference counts.
 * It is keyed per namespace, because amount and payee have few likely values and a plain hash could be reversed.
 *
 * The hash throws a TypeError that names a member which is not plain data (`undefined` would bind to nothing), and a
 * TwoFactorError `invalid_request` for fields that are nested too deeply.
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
  // The client controls the nesting: a deep body must not exhaust the stack (CWE-674), and a cycle must end.
  if (depth > maxDepth) {
    throw new TwoFactorError('invalid_request', { message: `More than ${maxDepth} levels of nesting.` })
  }
  if (isEmptyText(value)) throw emptyText(path, value)
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (Number.isFinite(value)) return JSON.stringify(value)
  if (Array.isArray(value)) {
    // Not `map`, which skips the holes of a sparse array.
    return `[${Array.from(value, (item, index) => canonical(item, `${path}[${index}]`, depth + 1)).join(',')}]`
  }
  if (!isPlainObject(value)) throw notPlain(path, value)
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name], `${path}.${name}`, depth + 1)}`)
  return `{${members.join(',')}}`
}

/** Part of the message about a missing field. The guard recognises it when no parser ran. */
export const parserQuestion = 'Is the body parsed before the guard?'

function emptyText(path: string, text: string): EmptyField {
  const field = path.replace(/^bind\./, '')
  return new EmptyField(
    `${path} is the text "${text}": \`String()\` returns it for no value. ${parserQuestion}`,
    `${field} must not be the text "${text}".`,
    true,
  )
}

function notPlain(path: string, value: unknown): TypeError {
  if (path === 'bind' && value === undefined) {
    return new TypeError(
      'bind returned nothing: `return` or the parentheses around `{ }` may be missing. Write bind: (req) => ({ amount: req.body.amount }).',
    )
  }
  const kind =
    typeof value === 'object'
      ? (value?.constructor?.name ?? 'object')
      : typeof value === 'number'
        ? value
        : typeof value
  const hint = isThenable(value)
    ? 'bind must be synchronous: read what it needs in middleware before the guard.'
    : parserQuestion
  const message = `${path} is ${kind}: bound fields must be finite numbers, strings, booleans, null, arrays or plain objects. ${hint}`
  const field = path.replace(/^bind\.?/, '')
  if (field === '' || (value !== undefined && typeof value !== 'number')) return new TypeError(message)
  return new EmptyField(
    message,
    `${field} ${value === undefined ? 'is missing' : 'must be a finite number'}.`,
  )
}
