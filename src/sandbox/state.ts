import type { Account, AccountState } from './account.js'
import { type ClockControl, type ClockState, maxNow } from './clock.js'
import type { Codes, CodesState } from './codes.js'
import { checkFault, type Fault } from './fault.js'
import type { FaultQueue, PendingFault } from './faults.js'
import { problemOf } from './json-schema.js'
import type { Message } from './message.js'
import type { MessageStore } from './message-store.js'
import type { LinkStore, LinksState } from './short-links.js'
import { stateSchema } from './state-schema.js'

/** Everything a sandbox remembers but its request log, as JSON. */
export interface SandboxState {
  readonly version: 1
  /** How far the clock was moved. */
  readonly clock: ClockState
  /** Credits, refunds and blocked numbers. */
  readonly account: AccountState
  /** The codes of each number and app-name. */
  readonly codes: readonly CodesState[]
  /** The messages of the inbox. */
  readonly messages: readonly Message[]
  /** Short URLs and clicks. */
  readonly links: LinksState
  /** The faults that still wait. */
  readonly faults: readonly ExportedFault[]
}

/** JSON has no Infinity: null stands for "until it is removed". */
export interface ExportedFault {
  readonly id: string
  readonly fault: Fault
  readonly timesLeft: number | null
}

export interface StateParts {
  readonly account: Account
  readonly clock: ClockControl
  readonly codes: Codes
  readonly faults: FaultQueue
  readonly links: LinkStore
  readonly messages: MessageStore
}

export function exportState({ account, clock, codes, faults, links, messages }: StateParts): SandboxState {
  return {
    version: 1,
    clock: clock.export(),
    account: account.export(),
    codes: codes.export(),
    messages: messages.search('').toReversed(),
    links: links.export(),
    faults: faults.list().map(exportFault),
  }
}

export function exportFault({ id, fault, timesLeft }: PendingFault): ExportedFault {
  const { times, ...effect } = fault
  const isLimited = Number.isFinite(timesLeft)
  return {
    id,
    fault: isLimited && times !== undefined ? { ...effect, times } : effect,
    timesLeft: isLimited ? timesLeft : null,
  }
}

/** Replaces everything. Checks all of it first, so that an invalid state changes nothing. */
export function importState(parts: StateParts, state: unknown): void {
  const problem = problemOf(stateSchema, state)
  if (problem !== undefined) throw new TypeError(`state: ${problem}`)
  const { clock, account, codes, messages, links, faults } = state as SandboxState
  const pending = faults.map(({ id, fault, timesLeft }) => {
    const times = timesLeft ?? Number.POSITIVE_INFINITY
    return { id, fault: { ...fault, times } as Fault, timesLeft: times }
  })
  for (const { fault } of pending) checkFault(fault)
  if (clock.now + Math.max(0, ...Object.values(clock.phones)) > maxNow) {
    throw new TypeError('state: clock is beyond the calendar')
  }

  parts.clock.import(clock)
  parts.account.import(account)
  parts.codes.import(codes)
  parts.messages.import(messages)
  parts.links.import(links)
  parts.faults.import(pending)
}
