import { validateHeaderName, validateHeaderValue } from 'node:http'
import { z } from 'zod'
import { type OperationName, operations } from '../provider/operations.js'
import { digitsOf } from './numbers.js'
import { problemIn } from './problem.js'

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

const members = {
  operation: z.enum(Object.keys(operations) as OperationName[]),
  phone: z.string().max(40).regex(/\d/).describe('A phone number, or some of its digits.'),
  times: z
    .union([z.int().min(1).max(1_000_000), z.literal('Infinity')])
    .describe('Infinity: until it is removed.'),
  status: z.int().min(200).max(599),
  body: z.unknown().describe('A string as it is, anything else as JSON.'),
  headers: z.record(z.string(), z.string()).refine((headers) => Object.entries(headers).every(isHeader)),
  delayMs: z.int().min(0).max(600_000),
  bytes: z
    .int()
    .min(1)
    .max(64 * 1024 * 1024),
  midBody: z.boolean(),
  location: z.string().refine((location) => isHeader(['location', location])),
}

/** What each kind takes besides `operation`, `phone` and `times`. */
const membersOf: Readonly<Record<Fault['kind'], readonly (keyof typeof members)[]>> = {
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

/** A fault of any kind. Which members go with which one, `checkFault` says. */
export const faultSchema = z.strictObject({ kind: z.enum(faultKinds), ...z.object(members).partial().shape })

/** Throws a TypeError that names what is wrong with a fault. */
export function checkFault(fault: Fault): void {
  const { times, ...effect } = fault
  const isEndless = times === Number.POSITIVE_INFINITY
  const problem = problemIn(faultSchema, { ...effect, times: isEndless ? 'Infinity' : times })
  if (problem !== undefined) throw new TypeError(`faults.add: ${problem}`)
  const allowed = ['kind', 'operation', 'phone', 'times', ...membersOf[fault.kind]]
  const other = Object.entries(effect).find(([name, value]) => value !== undefined && !allowed.includes(name))
  if (other !== undefined) {
    throw new TypeError(
      `faults.add: unknown member "${other[0]}" of ${fault.kind}; expected: ${allowed.slice(1).join(', ')}`,
    )
  }
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

/** A fault that waits for requests. */
export interface PendingFault {
  /** For `faults.remove`. */
  readonly id: string
  /** As it was added. */
  readonly fault: Fault
  /** How many more requests it applies to. */
  readonly timesLeft: number
}

/** Switches for what goes wrong. The oldest fault that matches a request is applied to it. */
export interface Faults {
  /**
   * Makes the next requests fail. Returns the id to remove it by.
   * @example sandbox.faults.add({ operation: 'verifyCode', kind: 'hang', phone: '+573001234567' })
   */
  add(fault: Fault): string
  /** The faults that still wait, oldest first. */
  list(): readonly PendingFault[]
  /** Returns whether it was there. */
  remove(id: string): boolean
  /** Removes all of them. */
  clear(): void
}

export interface FaultQueue extends Faults {
  /** The fault to apply to a request about these numbers, if any. */
  take(operation: OperationName, phones: readonly string[]): Fault | undefined
}

const maxFaults = 100

export function createFaultQueue(changed: () => void): FaultQueue {
  let pending: readonly PendingFault[] = []
  let added = 0
  return {
    add(fault) {
      checkFault(fault)
      if (pending.length >= maxFaults) {
        throw new RangeError(`faults.add: at most ${maxFaults} faults can be pending`)
      }
      added += 1
      const id = `f${added}`
      pending = [...pending, { id, fault: { ...fault }, timesLeft: fault.times ?? 1 }]
      changed()
      return id
    },
    list: () => pending,
    remove(id) {
      const before = pending.length
      pending = pending.filter((one) => one.id !== id)
      if (pending.length < before) changed()
      return pending.length < before
    },
    clear() {
      pending = []
      changed()
    },
    take(operation, phones) {
      const numbers = phones.map(digitsOf)
      const next = pending.find(
        ({ fault }) =>
          (fault.operation ?? operation) === operation &&
          (fault.phone === undefined || numbers.includes(digitsOf(fault.phone))),
      )
      if (next === undefined) return undefined
      pending = pending
        .map((one) => (one === next ? { ...one, timesLeft: one.timesLeft - 1 } : one))
        .filter(({ timesLeft }) => timesLeft > 0)
      return next.fault
    },
  }
}
