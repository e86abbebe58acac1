import type { OperationName } from '../provider/operations.js'
import { checkFault, type Fault } from './fault.js'

/** A fault that waits for requests. */
export interface PendingFault {
  readonly id: string
  readonly fault: Fault
  readonly timesLeft: number
}

/** Switches for what goes wrong. The oldest fault that fits a request is played on it. */
export interface Faults {
  /**
   * Lets the next requests fail. Answers the id to remove it by.
   * @example sandbox.faults.add({ operation: 'verifyCode', kind: 'hang' })
   */
  add(fault: Fault): string
  list(): readonly PendingFault[]
  /** Answers whether it was there. */
  remove(id: string): boolean
  clear(): void
}

export interface FaultBox extends Faults {
  /** The fault to play on this request, if any. */
  take(operation: OperationName): Fault | undefined
}

const mostFaults = 100

export function createFaults(): FaultBox {
  let pending: readonly PendingFault[] = []
  let added = 0
  return {
    add(fault) {
      checkFault(fault)
      if (pending.length >= mostFaults) throw new RangeError(`faults.add: ${mostFaults} faults wait already`)
      added += 1
      const id = `f${added}`
      pending = [...pending, { id, fault: { ...fault }, timesLeft: fault.times ?? 1 }]
      return id
    },
    list: () => pending,
    remove(id) {
      const before = pending.length
      pending = pending.filter((one) => one.id !== id)
      return pending.length < before
    },
    clear() {
      pending = []
    },
    take(operation) {
      const next = pending.find(({ fault }) => (fault.operation ?? operation) === operation)
      if (next === undefined) return undefined
      pending = pending
        .map((one) => (one === next ? { ...one, timesLeft: one.timesLeft - 1 } : one))
        .filter(({ timesLeft }) => timesLeft > 0)
      return next.fault
    },
  }
}
