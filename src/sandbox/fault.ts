import { validateHeaderName, validateHeaderValue } from 'node:http'
import { type OperationName, operations } from '../provider/operations.js'
import { digitsOf } from './digits.js'

/**
 * What goes wrong. The kinds `acceptThen…`, `slow`, `oversize` and `gzip`, and `reset` in mid-body, perform
 * the operation first; all others respond in its place.
 */
export type FaultEffect =
  /** Responds with a status (503) and body of its own. */
  | {
      readonly kind: 'status'
      readonly status?: number
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Responds with HTTP 200, unless `status` says otherwise, and any body: a string as it is, all else as JSON. */
  | {
      readonly kind: 'body'
      readonly status?: number
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The page of a firewall in front, with status 520. */
  | { readonly kind: 'html'; readonly status?: number }
  /** Receives the request and never responds. */
  | { readonly kind: 'hang' }
  /** Performs the operation and does not respond; with `midBody` it sends half a response. */
  | { readonly kind: 'acceptThenHang'; readonly midBody?: boolean }
  /** Performs the operation, but a gateway in front responds with its own status (504) and body. */
  | {
      readonly kind: 'acceptThenStatus'
      readonly status?: number
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Performs the operation, but a firewall in front responds with its page, status 520. */
  | { readonly kind: 'acceptThenHtml'; readonly status?: number }
  /** Resets the connection; with `midBody` after half of the response. */
  | { readonly kind: 'reset'; readonly midBody?: boolean }
  /** Responds after `delayMs` (1,000) of real time; with `midBody` only the second half is late. */
  | { readonly kind: 'slow'; readonly delayMs?: number; readonly midBody?: boolean }
  /** The correct response, padded to `bytes` (1 MiB). */
  | { readonly kind: 'oversize'; readonly bytes?: number }
  /** Redirects the caller to `location` with `status` (307). */
  | { readonly kind: 'redirect'; readonly location?: string; readonly status?: number }
  /** The correct response, compressed although nobody asked for it. */
  | { readonly kind: 'gzip' }

/** A fault to apply. */
export type Fault = FaultEffect & {
  /** Only on this operation; on any when absent. */
  readonly operation?: OperationName
  /** Only on requests about this number, in any spelling; on any when absent. */
  readonly phone?: string
  /** How many requests it applies to: 1 by default, `Infinity` until it is removed. */
  readonly times?: number
}

const checks = {
  operation: (value: unknown) => typeof value === 'string' && Object.hasOwn(operations, value),
  phone: (value: unknown) => typeof value === 'string' && digitsOf(value) !== '',
  times: (value: unknown) => value === Number.POSITIVE_INFINITY || isInteger(value, 1, 1_000_000),
  status: (value: unknown) => isInteger(value, 200, 599),
  delayMs: (value: unknown) => isInteger(value, 0, 600_000),
  bytes: (value: unknown) => isInteger(value, 1, 64 * 1024 * 1024),
  midBody: (value: unknown) => typeof value === 'boolean',
  location: (value: unknown) => isHeader(['location', value]),
  headers: (value: unknown) =>
    typeof value === 'object' && value !== null && Object.entries(value).every(isHeader),
  body: () => true,
} as const satisfies Record<string, (value: unknown) => boolean>

const membersOf: Readonly<Record<Fault['kind'], readonly (keyof typeof checks)[]>> = {
  status: ['status', 'body', 'headers'],
  body: ['status', 'body', 'headers'],
  html: ['status'],
  hang: [],
  acceptThenHang: ['midBody'],
  acceptThenStatus: ['status', 'body', 'headers'],
  acceptThenHtml: ['status'],
  reset: ['midBody'],
  slow: ['delayMs', 'midBody'],
  oversize: ['bytes'],
  redirect: ['location', 'status'],
  gzip: [],
}

/** The kinds of faults. */
export const faultKinds = Object.keys(membersOf) as readonly Fault['kind'][]

/** Throws a TypeError that names what is wrong with a fault. */
export function checkFault(fault: Fault): void {
  if (!Object.hasOwn(membersOf, fault.kind)) {
    throw new TypeError(`faults.add: kind must be one of ${faultKinds.join(', ')}`)
  }
  const allowed = ['operation', 'phone', 'times', ...membersOf[fault.kind]]
  for (const [name, value] of Object.entries(fault)) {
    if (name === 'kind' || value === undefined) continue
    if (!allowed.includes(name)) {
      throw new TypeError(
        `faults.add: unknown member "${name}" of ${fault.kind}; expected: ${allowed.join(', ')}`,
      )
    }
    const holds = checks[name as keyof typeof checks]
    if (!holds(value)) throw new TypeError(`faults.add: ${name} is out of range`)
  }
}

function isInteger(value: unknown, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
}

function isHeader([name, value]: readonly [string, unknown]): boolean {
  if (typeof value !== 'string') return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch (error) {
    // ERR_INVALID_HTTP_TOKEN and ERR_INVALID_CHAR.
    if (error instanceof TypeError) return false
    throw error
  }
}
