import { validateHeaderName, validateHeaderValue } from 'node:http'
import { z } from 'zod'
import { unknownName } from '../../lib/options.js'
import { type OperationName, operations } from '../../provider/operations.js'
import { type FaultMembers, faultKinds } from './fault-kinds.js'
import { digitsOf, wholeNumber } from './numbers.js'
import { problemIn } from './problem.js'

type Kinds = typeof faultKinds

/**
 * The effect of a fault. The kinds `acceptThen…`, `slow`, `oversize` and `gzip`, and `reset` in mid-body, perform the
 * operation first. All others respond in its place.
 */
export type FaultEffect = {
  readonly [Kind in keyof Kinds]: { readonly kind: Kind } & Pick<FaultMembers, Kinds[Kind]['takes'][number]>
}[keyof Kinds]

/** A fault to apply. */
export type Fault = FaultEffect & {
  /** Limits the fault to this operation. Default: any. */
  readonly operation?: OperationName
  /** Limits the fault to requests about this number, in any spelling. Default: any. */
  readonly phone?: string
  /** Number of requests that it applies to. Default: 1. `Infinity`: until it is removed. */
  readonly times?: number
}

const members = {
  operation: z.enum(Object.keys(operations) as OperationName[]),
  phone: z
    .string()
    .regex(wholeNumber, 'must be one whole number, with its country code')
    .describe('One whole number with its country code, in any spelling.'),
  times: z
    .union([z.int().min(1), z.literal('Infinity')], 'must be an integer, 1 or more, or Infinity')
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

/** A fault of any kind. `checkFault` checks which members belong to which kind. */
export const faultSchema = z.strictObject({
  kind: z.enum(Object.keys(faultKinds) as Fault['kind'][]),
  ...z.object(members).partial().shape,
})

/** Throws a TypeError that names the mistake in a fault. */
function checkFault(fault: Fault): void {
  const { times, ...effect }: Fault = Object(fault)
  const isEndless = times === Number.POSITIVE_INFINITY
  const problem = problemIn(faultSchema, { ...effect, times: isEndless ? 'Infinity' : times })
  if (problem !== undefined) throw new TypeError(`faults.add: ${problem}`)
  const allowed = ['kind', 'operation', 'phone', 'times', ...faultKinds[fault.kind].takes]
  const other = Object.entries(effect).find(([name, value]) => value !== undefined && !allowed.includes(name))
  if (other !== undefined) {
    throw new TypeError(`faults.add: ${fault.kind}: ${unknownName('member', other[0], allowed.slice(1))}`)
  }
}

function isHeader([name, value]: readonly [string, unknown]): boolean {
  if (typeof value !== 'string') return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

/** A fault that waits for requests. */
export interface PendingFault {
  /** For `faults.remove`. */
  readonly id: string
  /** The fault as added. */
  readonly fault: Fault
  /** Number of further requests that it applies to. */
  readonly timesLeft: number
}

/** Simulated failures. The oldest fault that matches a request applies to it. */
export interface Faults {
  /**
   * Makes the next requests fail. Returns the id for its removal.
   *
   * @example sandbox.faults.add({ operation: 'verifyCode', kind: 'hang', phone: '+573001234567' })
   */
  add(fault: Fault): string
  /** Returns the faults that still wait, oldest first. */
  list(): readonly PendingFault[]
  /** Removes a fault. Returns whether it existed. */
  remove(id: string): boolean
  /** Removes all faults. */
  clear(): void
}

const maxFaults = 100

export function createFaultQueue(changed: () => void) {
  let pending: readonly PendingFault[] = []
  let added = 0
  return {
    add(fault: Fault): string {
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
    remove(id: string): boolean {
      const before = pending.length
      pending = pending.filter((one) => one.id !== id)
      if (pending.length < before) changed()
      return pending.length < before
    },
    clear(): void {
      pending = []
      changed()
    },
    /** Returns the fault for a request about these numbers, if any. */
    take(operation: OperationName, phones: readonly string[]): Fault | undefined {
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
