import { validateHeaderName, validateHeaderValue } from 'node:http'
import { type OperationName, operations } from '../provider/operations.js'

/**
 * What goes wrong. Only `acceptThenHang`, `slow`, `oversize` and `gzip`, and what breaks off in mid-body,
 * do the operation first; all others answer in its place.
 */
export type FaultEffect =
  /** Answers with a status (503) and body of its own. */
  | {
      readonly kind: 'status'
      readonly status?: number
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  /** HTTP 200, unless told otherwise, with any body: a text as it is, all else as JSON. */
  | {
      readonly kind: 'body'
      readonly status?: number
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The page of a firewall in front, with status 520. */
  | { readonly kind: 'html'; readonly status?: number }
  /** Takes the request and does nothing more. */
  | { readonly kind: 'hang' }
  /** Does the operation and gives no answer; with `midBody` half of one. */
  | { readonly kind: 'acceptThenHang'; readonly midBody?: boolean }
  /** Resets the connection; with `midBody` when half of the answer is out. */
  | { readonly kind: 'reset'; readonly midBody?: boolean }
  /** Answers after `delayMs` (1,000) of real time; with `midBody` only its second half is late. */
  | { readonly kind: 'slow'; readonly delayMs?: number; readonly midBody?: boolean }
  /** The right answer, filled up to `bytes` (1 MiB). */
  | { readonly kind: 'oversize'; readonly bytes?: number }
  /** Sends the caller to `location` with `status` (307). */
  | { readonly kind: 'redirect'; readonly location?: string; readonly status?: number }
  /** The right answer, compressed though nobody asked. */
  | { readonly kind: 'gzip' }

/** A fault to play. */
export type Fault = FaultEffect & {
  /** Only on this operation; on any when absent. */
  readonly operation?: OperationName
  /** How many requests it is played on: 1 by default, `Infinity` until it is removed. */
  readonly times?: number
}

const checks = {
  operation: (value: unknown) => typeof value === 'string' && Object.hasOwn(operations, value),
  times: (value: unknown) => value === Number.POSITIVE_INFINITY || isWhole(value, 1, 1_000_000),
  status: (value: unknown) => isWhole(value, 200, 599),
  delayMs: (value: unknown) => isWhole(value, 0, 600_000),
  bytes: (value: unknown) => isWhole(value, 1, 64 * 1024 * 1024),
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
  reset: ['midBody'],
  slow: ['delayMs', 'midBody'],
  oversize: ['bytes'],
  redirect: ['location', 'status'],
  gzip: [],
}

/** The kinds of faults, for whoever offers them. */
export const faultKinds = Object.keys(membersOf) as readonly Fault['kind'][]

/** Throws a TypeError that names what is wrong with a fault. */
export function checkFault(fault: Fault): void {
  if (!Object.hasOwn(membersOf, fault.kind)) {
    throw new TypeError(`faults.add: kind must be one of ${faultKinds.join(', ')}`)
  }
  const known = ['operation', 'times', ...membersOf[fault.kind]]
  for (const [name, value] of Object.entries(fault)) {
    if (name === 'kind' || value === undefined) continue
    if (!known.includes(name)) throw new TypeError(`faults.add: ${fault.kind} knows no ${name}`)
    const holds = checks[name as keyof typeof checks]
    if (!holds(value)) throw new TypeError(`faults.add: ${name} is out of range`)
  }
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
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
