import { dayMs } from '../../lib/time.js'
import type { CounterResult } from '../../store/store.js'
import { type Refusal, refused } from '../commands.js'
import type { SendResult } from '../exchange/code-provider.js'
import { type DomainServices, hashId } from '../keys.js'
import type { BrowserKind } from '../ledger/ledger.js'
import { type Limits, sendMsOf, shareOfUnknownBrowsers } from '../limits.js'
import type { Account, LastSends } from '../reach/decision-context.js'
import { isPhone } from '../reach/factors.js'
import { createUpdater } from '../updater.js'
import {
  bookSend,
  clearRecord,
  countSends,
  emptyRecord,
  lastSendsOf,
  type NumberCount,
  type NumberLimits,
  type NumberRecord,
  type SendKind,
  type SendToNumber,
  settleNumberSend,
  waitForSend,
} from './number-record.js'

// Limits of a number on file over all accounts: two people may share a phone, and an attacker may put a stranger's
// number on many accounts. At a sign-up, the ledger of the number contains these limits.

/**
 * One counter contains two counts of wrong codes, so that one command reads both: all codes, and the codes of unknown
 * browsers. Each has room for ten thousand.
 */
const ofUnknown = 10_000
/** Upper bound of the limit. The remaining room is for parallel counts that are refunded. */
const mostWrongCodes = 9_000

/** Counters of a number over all accounts. */
export interface NumberState {
  /** A call counts as two. */
  readonly sendsInHour: NumberCount
  readonly sendsInDay: NumberCount
  readonly wrongCodesInDay: NumberCount
}

export type NumberCounters = ReturnType<typeof createNumberCounters>

export function createNumberCounters(
  parts: DomainServices & {
    readonly limits: Limits
    /** How long a browser stays known, in milliseconds. 0 if browsers are not tracked. */
    readonly knownMaxAgeMs: number
  },
) {
  const { store, keys, limits, now } = parts
  const { attemptsPerChallenge, sendsPerDay, codeLifetimeMs } = limits
  const browsersAreKnown = parts.knownMaxAgeMs > 0
  const maxWrong = Math.min(2 * attemptsPerChallenge * sendsPerDay, mostWrongCodes)
  const unknownShareOf = (max: number) =>
    browsersAreKnown ? Math.max(Math.min(max, 1), shareOfUnknownBrowsers(max)) : max
  const sendMs = sendMsOf(limits)
  const ofSends: NumberLimits = {
    hour: limits.allSendsPerHour,
    day: limits.allSendsPerDay,
    unknownShareOf,
    sendMs,
    // A code that was booked may be sent as late as its deadline.
    codeMs: codeLifetimeMs + sendMs,
  }

  const openRecord = (number: string) =>
    createUpdater<NumberRecord>(store, keys.counter('number-sends', number))
  type OpenRecord = ReturnType<typeof openRecord>
  const wrongKeyOf = (number: string) => keys.counter('number-wrong', number)

  /** Opens the records of the numbers of an account for one request. */
  function open({ lane, factors, subject }: Pick<Account, 'lane' | 'factors' | 'subject'>) {
    const account = hashId(subject)
    const records = new Map<string, OpenRecord>()
    /** What `lastSends` has read. */
    const known = new Map<string, NumberRecord>()
    const numbers = lane === 'auth' ? factors.filter(isPhone).map(({ key }) => key) : []
    function recordOf(number: string): OpenRecord {
      const record = records.get(number) ?? openRecord(number)
      records.set(number, record)
      return record
    }
    return {
      /** Returns the sends of the account that are the last ones of their number, by the key of the factor. */
      async lastSends(): Promise<LastSends> {
        const entries = await Promise.all(
          numbers.map(async (number) => {
            const record = (await recordOf(number).prefetch()) ?? emptyRecord
            known.set(number, record)
            return [number, lastSendsOf(record, account)]
          }),
        )
        return Object.fromEntries(entries)
      },
      /** Returns the refusal of a send by what `lastSends` has read, before `beforeSend` is asked and anything counted. */
      refusalOf(number: string, send: SendKind): Refusal | undefined {
        const record = known.get(number)
        const waitMs = record === undefined ? 0 : waitForSend(record, send, ofSends, now())
        return waitMs > 0 ? refused('send_limit', waitMs) : undefined
      },
      /** Returns the limits of one send. A call counts as two. */
      forSend(number: string, send: Omit<SendToNumber, 'account'>) {
        const record = recordOf(number)
        const order = { ...send, account }
        let booked = emptyRecord
        const settle = (sent: SendResult) =>
          record.update((stored = emptyRecord) =>
            settleNumberSend(stored, { id: send.id, sent }, ofSends, now()),
          )
        const rollBack = () => settle({ result: 'not-sent' })
        return {
          /** Books the send, or refuses it and changes nothing. A repeated call finds its booking. */
          consume: (): Promise<Refusal | undefined> =>
            record.update((stored = emptyRecord) => {
              booked = stored
              return bookSend(stored, order, ofSends, now())
            }),
          read: () => record.prefetch(),
          /** Rolls back the booking, because no request was sent. */
          rollBack,
          withdraw: rollBack,
          /** Returns whether a send may be a call, whatever it was booked as. */
          mayCall: () => waitForSend(booked, { ...send, channel: 'call' }, ofSends, now()) === 0,
          /** Records the outcome. A send that delivered nothing is refunded. */
          settle,
        }
      },
    }
  }

  const amountOf = (browserKind: BrowserKind) =>
    browserKind === 'unknown' && browsersAreKnown ? 1 + ofUnknown : 1
  const countWrong = (number: string, by: number) => store.increment(wrongKeyOf(number), dayMs, by)
  const wrongIn = ({ count }: CounterResult) => ({
    all: count % ofUnknown,
    unknown: Math.floor(count / ofUnknown),
  })

  /** Returns how long until this browser kind has room for `needed` wrong codes. 0 if it has. */
  function waitForCode(counted: CounterResult, browserKind: BrowserKind, needed: number): number {
    const wrong = wrongIn(counted)
    const left = maxWrong - wrong.all
    const ofShare = amountOf(browserKind) > 1 ? unknownShareOf(maxWrong) - wrong.unknown : left
    return Math.min(left, ofShare) < needed ? Math.max(1, Math.ceil(counted.resetInMs)) : 0
  }

  return {
    open,

    /** Returns the limit of one wrong code. It is counted before the check, and refunded unless the code was wrong. */
    forCode(number: string, browserKind: BrowserKind) {
      const refund = async () => countWrong(number, -amountOf(browserKind))
      return {
        refund,
        async consume(): Promise<Refusal | undefined> {
          const wait = waitForCode(await countWrong(number, amountOf(browserKind)), browserKind, 0)
          if (wait > 0) await refund()
          return wait > 0 ? refused('attempts_exhausted', wait) : undefined
        },
      }
    },

    /**
     * Returns how long this browser kind waits until a code can be sent to a number, and until one can be submitted.
     */
    async waits(
      number: string,
      browserKind: BrowserKind,
    ): Promise<{ readonly sendMs: number; readonly checkMs: number }> {
      const [record = emptyRecord, wrong] = await Promise.all([
        openRecord(number).read(),
        countWrong(number, 0),
      ])
      return {
        sendMs: waitForSend(record, { browserKind, channel: 'sms' }, ofSends, now()),
        checkMs: waitForCode(wrong, browserKind, 1),
      }
    },

    /** Returns the counters of a number over all accounts. */
    async state(number: string): Promise<NumberState> {
      const [record = emptyRecord, wrong] = await Promise.all([
        openRecord(number).read(),
        countWrong(number, 0),
      ])
      const codes = wrongIn(wrong)
      return {
        sendsInHour: countSends(record, 'hour', ofSends, now()),
        sendsInDay: countSends(record, 'day', ofSends, now()),
        wrongCodesInDay: {
          count: codes.all,
          unknown: codes.unknown,
          max: maxWrong,
          unknownMax: unknownShareOf(maxWrong),
          endsInMs: codes.all === 0 ? 0 : Math.ceil(wrong.resetInMs),
        },
      }
    },

    /** Resets the sends and the wrong codes of a number. */
    async clear(number: string): Promise<void> {
      await Promise.all([
        openRecord(number).update((stored = emptyRecord) => clearRecord(stored, ofSends, now())),
        // A count never falls below 0.
        countWrong(number, -Number.MAX_SAFE_INTEGER),
      ])
    },
  }
}
