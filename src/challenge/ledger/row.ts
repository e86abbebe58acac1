import { TwoFactorError } from '../../errors.js'
import type { Emit } from '../../events.js'
import type { Entry } from '../../store/store.js'
import type { Channel } from '../code-provider.js'
import type { SwapStore } from '../updater.js'
import type { Challenge, Lease, Ledger, Send } from './ledger.js'

/** A ledger with the id of the command that wrote it. */
type Written = Ledger & { readonly command: string }

/** The store as ledgers see it. There each of them is one text, half the bytes of a tree of objects. */
export function ledgerStore(store: SwapStore, emit: Emit): SwapStore {
  function unpacked({ value, version }: Entry): Entry {
    try {
      return { value: ledgerOf(JSON.parse(String(value))), version }
    } catch {
      emit({ type: 'store.failed', command: 'read' })
      throw new TwoFactorError('store_unavailable', {
        message: 'A ledger cannot be read. Does another program, or another version, write to this store?',
      })
    }
  }

  return {
    async read(key) {
      const entry = await store.read(key)
      return entry && unpacked(entry)
    },
    async swap(key, expectedVersion, next, ttlMs) {
      // Never removed: a ledger lapses.
      const ledger = next as Written
      const { swapped, entry } = await store.swap(key, expectedVersion, pack(ledger), ttlMs)
      if (entry === undefined) return { swapped }
      return { swapped, entry: swapped ? { value: ledger, version: entry.version } : unpacked(entry) }
    },
  }
}

// ── the text: columns without names, which would be half of it ───────────────────────────────────

/** JSON makes null of what is undefined in a list. */
type Row = readonly [
  command: string,
  at: number,
  failures: number,
  judged: number,
  lockedUntil: number,
  challenge: ChallengeRow | null,
  inFlight: LeaseRow | null,
  sends: readonly SendRow[],
  checks: readonly number[],
  usedCodes: readonly (readonly [code: string, at: number])[],
]
const columns = 10

type ChallengeRow = readonly [
  id: string,
  session: string,
  subject: string,
  purpose: string,
  bound: string | null,
  channel: Channel,
  attempts: number,
  expiresAt: number,
  deadline: number,
  isVoid: true | null,
  epoch: string | null,
]
type LeaseRow = readonly [attempt: string, challenge: string, code: string, until: number]
type SendRow = readonly [id: string, at: number, channel: Channel, challenge: string | typeof standing | null]

/** The columns before JSON makes null of what is undefined. */
type Columns<Kept extends readonly unknown[]> = {
  readonly [Column in keyof Kept]: null extends Kept[Column]
    ? NonNullable<Kept[Column]> | undefined
    : Kept[Column]
}

/** Instead of the id of the challenge beside it, which most sends are for. */
const standing = 0

function pack(ledger: Written): string {
  const { command, at, failures, judged, lockedUntil, challenge, inFlight, sends, checks, usedCodes } = ledger
  const text = JSON.stringify([
    command,
    at,
    failures,
    judged,
    lockedUntil,
    challenge && rowOfChallenge(challenge),
    inFlight && rowOfLease(inFlight),
    sends.map((send) => rowOfSend(send, challenge)),
    checks,
    usedCodes.map((used) => [used.code, used.at]),
  ])
  // It comes as a chain of pieces. Whoever looks into it makes it flat, and a third smaller.
  text.charCodeAt(0)
  return text
}

function ledgerOf(row: Row): Written {
  const [command, at, failures, judged, lockedUntil, challenge, lease, sends, checks, usedCodes] = row
  // What is counted from a hole is counted from zero.
  if (row.length !== columns || ![at, failures, judged, lockedUntil, ...checks].every(Number.isFinite)) {
    throw new TypeError('not a row of this version')
  }
  return {
    challenge: challenge === null ? undefined : challengeOf(challenge),
    inFlight: lease === null ? undefined : leaseOf(lease),
    failures,
    judged,
    lockedUntil,
    sends: sends.map((send) => sendOf(send, challenge)),
    checks,
    usedCodes: usedCodes.map(([code, usedAt]) => ({ code, at: usedAt })),
    at,
    command,
  }
}

function rowOfChallenge(challenge: Challenge): Columns<ChallengeRow> {
  const { id, session, subject, purpose, bound, channel, attempts, expiresAt, deadline, epoch } = challenge
  return [id, session, subject, purpose, bound, channel, attempts, expiresAt, deadline, challenge.void, epoch]
}

function challengeOf(row: ChallengeRow): Challenge {
  const [id, session, subject, purpose, bound, channel, attempts, expiresAt, deadline, isVoid, epoch] = row
  if (![attempts, expiresAt, deadline].every(Number.isFinite)) throw new TypeError('not a challenge')
  const binding = { session, subject, purpose, bound: bound ?? undefined, epoch: epoch ?? undefined }
  return { id, channel, attempts, expiresAt, deadline, ...binding, void: isVoid ?? undefined }
}

const rowOfLease = ({ attempt, challenge, code, until }: Lease): LeaseRow => [attempt, challenge, code, until]
const leaseOf = ([attempt, challenge, code, until]: LeaseRow): Lease => ({ attempt, challenge, code, until })

function rowOfSend({ id, at, channel, challenge }: Send, beside: Challenge | undefined): Columns<SendRow> {
  return [id, at, channel, challenge === beside?.id ? standing : challenge]
}

function sendOf([id, at, channel, of]: SendRow, beside: ChallengeRow | null): Send {
  return { id, at, channel, challenge: of === standing ? beside?.[0] : (of ?? undefined) }
}
