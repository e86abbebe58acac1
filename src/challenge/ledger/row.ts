import type { Channel } from '../code-provider.js'
import {
  type Budget,
  type BudgetName,
  type Challenge,
  emptyBudget,
  type Later,
  type Lease,
  type Ledger,
  type Send,
} from './ledger.js'

/** A ledger with the id of the command that wrote it. */
export type WrittenLedger = Ledger & { readonly command: string }

/**
 * Two versions of this package share a store while one is rolled out, so a row grows by these rules:
 *
 * 1. A new column is appended, never inserted, and is optional: a row that ends before it has its default.
 * 2. Columns that a version does not know are kept as `later` and written back, in the rows of the ledger,
 *    of its budgets and of their challenges. The rows of leases, sends and used codes do not grow: what
 *    belongs to these is put beside them.
 * 3. `format` changes only when a column changes its meaning. Versions refuse a format that they do not
 *    know, so one release reads the new format before the next one writes it.
 *
 * Moments are kept as their distance from `at`, which is half as long; in rows of the first build, from 0.
 * Those have no format: they begin with the id of a command, which is a string.
 */
const format = 2

/** JSON makes null of what is undefined in a list. */
type Row = readonly [
  format: typeof format,
  command: string,
  at: number,
  strangers: BudgetRow,
  usedCodes: readonly (readonly [code: string, at: number])[],
  known?: BudgetRow | null,
  ...later: Later,
]
type BudgetRow = readonly [
  attemptsSinceSuccess: number,
  rejections: number,
  lockExpiresAt: number,
  challenge: ChallengeRow | null,
  lease: LeaseRow | null,
  sends: readonly SendRow[],
  attemptTimes: readonly number[],
  ...later: Later,
]
type ChallengeRow = readonly [
  id: string,
  session: string,
  subject: string,
  purpose: string,
  bound: string | null,
  channel: Channel,
  attempts: number,
  expiresAt: number,
  maxExpiresAt: number,
  voided?: true | null,
  epoch?: string | null,
  handle?: string | null,
  wrongCodes?: readonly string[] | null,
  details?: string | null,
  ...later: Later,
]
type LeaseRow = readonly [
  attempt: string,
  challenge: string,
  code: string,
  expiresAt: number,
  send?: string | null,
]
type SendRow = readonly [
  id: string,
  at: number,
  channel: Channel,
  challenge: string | typeof current | null,
  refused?: true | null,
]
type FirstBuildRow = readonly [
  command: string,
  at: number,
  attemptsSinceSuccess: number,
  rejections: number,
  lockExpiresAt: number,
  challenge: ChallengeRow | null,
  lease: LeaseRow | null,
  sends: readonly SendRow[],
  attemptTimes: readonly number[],
  usedCodes: readonly (readonly [code: string, at: number])[],
]

/** Instead of the id of the challenge beside it, which most sends are for. */
const current = 0

/** The ledger as one string. */
export function packed({ command, at, strangers, usedCodes, known, later }: WrittenLedger): string {
  const json = JSON.stringify(
    trimmed([
      format,
      command,
      at,
      rowOfBudget(strangers, at),
      usedCodes.map((used) => [used.code, used.at - at]),
      known === emptyBudget ? undefined : rowOfBudget(known, at),
      ...(later ?? []),
    ]),
  )
  // V8 returns a rope. Reading a character flattens it, which makes it a third smaller.
  json.charCodeAt(0)
  return json
}

/** The ledger of such a string. Throws when it is anything else. */
export function unpacked(json: string): WrittenLedger {
  const parsed = JSON.parse(json) as Row | FirstBuildRow
  const isOld = isOfFirstBuild(parsed)
  const row = isOld ? upgraded(parsed) : parsed
  if (row[0] !== format) throw new TypeError('not a row of a known format')
  const [, command, at, strangers, usedCodes, known, ...later] = row
  const origin = isOld ? 0 : figure(at)
  return {
    strangers: budgetOf(strangers, 'strangers', origin),
    known: known == null ? emptyBudget : budgetOf(known, 'known', origin),
    usedCodes: usedCodes.map(([code, usedAt]) => ({ code, at: origin + figure(usedAt) })),
    at: figure(at),
    later: laterOf(later),
    command,
  }
}

const isOfFirstBuild = (row: Row | FirstBuildRow): row is FirstBuildRow => typeof row[0] === 'string'

function upgraded(row: FirstBuildRow): Row {
  const [command, at, attempts, rejections, lock, challenge, lease, sends, times, usedCodes] = row
  return [format, command, at, [attempts, rejections, lock, challenge, lease, sends, times], usedCodes]
}

function rowOfBudget(budget: Budget, at: number): Columns {
  const { attemptsSinceSuccess, rejections, lockExpiresAt, challenge, lease, sends, attemptTimes, later } =
    budget
  return [
    attemptsSinceSuccess,
    rejections,
    lockExpiresAt,
    challenge && rowOfChallenge(challenge, at),
    lease && rowOfLease(lease, at),
    sends.map((send) => rowOfSend(send, challenge, at)),
    attemptTimes.map((time) => time - at),
    ...(later ?? []),
  ]
}

function budgetOf(row: BudgetRow, name: BudgetName, origin: number): Budget {
  const [attemptsSinceSuccess, rejections, lockExpiresAt, challenge, lease, sends, attemptTimes, ...later] =
    row
  return {
    challenge: challenge === null ? undefined : challengeOf(challenge, name, origin),
    lease: lease === null ? undefined : leaseOf(lease, origin),
    attemptsSinceSuccess: figure(attemptsSinceSuccess),
    rejections: figure(rejections),
    lockExpiresAt: figure(lockExpiresAt),
    sends: sends.map((send) => sendOf(send, challenge, origin)),
    attemptTimes: attemptTimes.map((time) => origin + figure(time)),
    later: laterOf(later),
  }
}

function rowOfChallenge(challenge: Challenge, at: number): Columns {
  const { id, session, subject, purpose, bound, channel, attempts, expiresAt, maxExpiresAt } = challenge
  const binding = [id, session, subject, purpose, bound, channel] as const
  const { voided, epoch, handle, wrongCodes, details, later } = challenge
  return trimmed([
    ...binding,
    attempts,
    expiresAt - at,
    maxExpiresAt - at,
    voided,
    epoch,
    handle,
    wrongCodes,
    details,
    ...(later ?? []),
  ])
}

function challengeOf(row: ChallengeRow, budget: BudgetName, origin: number): Challenge {
  const [id, session, subject, purpose, bound, channel, attempts, expiresAt, maxExpiresAt] = row
  const [, , , , , , , , , isVoided, epoch, handle, wrongCodes, details, ...later] = row
  return {
    id,
    channel,
    attempts: figure(attempts),
    expiresAt: origin + figure(expiresAt),
    maxExpiresAt: origin + figure(maxExpiresAt),
    budget,
    session,
    subject,
    purpose,
    bound: bound ?? undefined,
    epoch: epoch ?? undefined,
    voided: isVoided ?? undefined,
    handle: handle ?? undefined,
    wrongCodes: wrongCodes ?? undefined,
    details: details ?? undefined,
    later: laterOf(later),
  }
}

const rowOfLease = ({ attempt, challenge, code, expiresAt, send }: Lease, at: number): Columns =>
  trimmed([attempt, challenge, code, expiresAt - at, send])

function leaseOf([attempt, challenge, code, expiresAt, send]: LeaseRow, origin: number): Lease {
  return { attempt, challenge, code, expiresAt: origin + figure(expiresAt), send: send ?? undefined }
}

function rowOfSend(send: Send, beside: Challenge | undefined, at: number): Columns {
  const { id, channel, challenge, refused } = send
  return trimmed([id, send.at - at, channel, challenge === beside?.id ? current : challenge, refused])
}

function sendOf([id, at, channel, of, refused]: SendRow, beside: ChallengeRow | null, origin: number): Send {
  const challenge = of === current ? beside?.[0] : (of ?? undefined)
  return { id, at: origin + figure(at), channel, challenge, refused: refused ?? undefined }
}

/** The columns of a row before JSON makes null of what is undefined. */
type Columns = readonly unknown[]

/** Without the last columns where nothing is in them. */
function trimmed(columns: unknown[]): Columns {
  while (columns.at(-1) === undefined) columns.pop()
  return columns
}

const laterOf = (columns: Later): Later | undefined => (columns.length === 0 ? undefined : columns)

/** A missing counter would silently restart at zero, so the row is rejected. */
function figure(value: number): number {
  if (!Number.isFinite(value)) throw new TypeError('not a figure')
  return value
}
