import type { OperationName } from '../provider/operations.js'
import { digitsOf } from './digits.js'
import { checkFault, type Fault } from './fault.js'

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
