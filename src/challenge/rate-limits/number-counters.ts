import { type Awaitable, all, allEnded, andThen } from '../../lib/promises.js'
import { dayMs, hourMs } from '../../lib/time.js'
import type { CounterResult } from '../../store/store.js'
import { type Refusal, refused } from '../commands.js'
import type { Channel } from '../exchange/code-provider.js'
import type { DomainServices } from '../keys.js'
import type { BrowserKind, NumberCount } from '../ledger/ledger.js'
import { weightOf } from '../ledger/pacing.js'
import { type Limits, shareOfUnknownBrowsers } from '../limits.js'
import type { Account, NumberCounts } from '../reach/account.js'
import { isPhone } from '../reach/factors.js'

// What a number on file gets over all accounts: two people may share a phone, and an attacker may put somebody's number
// on many accounts. At a sign-up the ledger of the number holds the same.

/** One counter of one number. */
interface Counter {
  readonly key: string
  readonly windowMs: number
  readonly max: number
}

/** The last known value of a counter. */
type CountedNumber = CounterResult & Pick<Counter, 'max'>

/**
 * Three counts in one counter, so that one command keeps all: what all had, what strangers had, and how often there was
 * one, which stays where it was in vain. Each has room for ten thousand.
 */
const ofUnknown = 10_000
/** Upper bound of every limit. The remaining room is for parallel counts that are refunded. */
const mostInDay = 9_000
const ofAsked = ofUnknown ** 2
const inAll = ({ count }: CounterResult): number => count % ofUnknown
const ofStrangersIn = ({ count }: CounterResult): number => Math.floor((count % ofAsked) / ofUnknown)

const countIn = (result: CounterResult): NumberCount => ({
  asked: Math.floor(result.count / ofAsked),
  sent: inAll(result),
})

export type NumberCounters = ReturnType<typeof createNumberCounters>

export function createNumberCounters(
  parts: DomainServices & {
    readonly limits: Limits
    /** How long a browser stays known, in milliseconds. 0 if browsers are not tracked. */
    readonly knownMaxAgeMs: number
  },
) {
  const { store, keys, limits } = parts
  const { allSendsPerHour, allSendsPerDay, attemptsPerChallenge, sendsPerDay } = limits
  const wrongCodesPerDay = 2 * attemptsPerChallenge * sendsPerDay
  /** Without a share, five accounts with the owner's number would lock the owner out. */
  const hasShare = (browserKind: BrowserKind) => browserKind === 'unknown' && parts.knownMaxAgeMs > 0
  const shareOf = (max: number) => Math.max(Math.min(max, 1), shareOfUnknownBrowsers(max))

  const counterOf = (
    kind: 'sends' | 'wrong',
    span: 'hour' | 'day',
    number: string,
    max: number,
  ): Counter => ({
    key: keys.counter(`number-${kind}`, `${span}.${number}`),
    windowMs: span === 'hour' ? hourMs : dayMs,
    max: Math.min(max, mostInDay),
  })
  const sendsInDay = (number: string) => counterOf('sends', 'day', number, allSendsPerDay)
  const sendsOf = (number: string) => [
    sendsInDay(number),
    counterOf('sends', 'hour', number, allSendsPerHour),
  ]
  const wrongOf = (number: string) => [counterOf('wrong', 'day', number, wrongCodesPerDay)]

  /** Returns the amount to add to a counter. A limit of 1 admits one call. */
  function amount(max: number, browserKind: BrowserKind, by: number): number {
    const ofAll = Math.max(1, Math.min(by, max))
    return hasShare(browserKind) ? ofAll + ofUnknown * Math.max(1, Math.min(by, shareOf(max))) : ofAll
  }

  const count = ({ key, windowMs, max }: Counter, by: number): Awaitable<CountedNumber> =>
    andThen(store.increment(key, windowMs, by), (result) => ({ ...result, max }))

  /** Returns how long until each counter has this much left for this browser kind. 0 if it has. */
  function waitFor(counts: readonly CountedNumber[], browserKind: BrowserKind, needed: number): number {
    const waits = counts.map((counted) => {
      const { max } = counted
      const left = max - inAll(counted)
      const leftOfShare = hasShare(browserKind) ? shareOf(max) - ofStrangersIn(counted) : left
      return Math.min(left, leftOfShare) < needed ? Math.max(1, Math.ceil(counted.resetInMs)) : 0
    })
    return Math.max(0, ...waits)
  }

  function budgetOf(
    counters: readonly Counter[],
    browserKind: BrowserKind,
    by: number,
    code: 'send_limit' | 'attempts_exhausted',
  ) {
    const counted = new Map<Counter, CountedNumber>()
    let ofDay: NumberCount | undefined
    const amountOf = ({ max }: Counter) => amount(max, browserKind, by)
    const due = () => counters.filter((counter) => !counted.has(counter))

    /** Of all counters that of the day is first. */
    const add = (counter: Counter, more: number) =>
      andThen(count(counter, more), (result) => {
        counted.set(counter, result)
        if (counter === counters[0]) ofDay = countIn(result)
      })

    async function giveBack(more: number): Promise<void> {
      const back = [...counted.keys()]
      counted.clear()
      await all(back.map((counter) => count(counter, -more - amountOf(counter))))
    }
    /** Rolls back the count, because no request was sent. */
    const undo = () => giveBack(ofAsked)

    return {
      undo,
      /** Takes back what was counted, but that somebody was asked. It stays for a day, in a row that is there already. */
      refund: () => giveBack(0),
      /**
       * Counts what is not counted yet. Refuses beyond the limit, also for parallel requests, and then counts nothing.
       * After a failure, counted hits stay for another attempt or `undo`.
       */
      async take(): Promise<Refusal | undefined> {
        await allEnded(due().map((counter) => add(counter, ofAsked + amountOf(counter))))
        const wait = waitFor([...counted.values()], browserKind, 0)
        if (wait > 0) await undo()
        return wait > 0 ? refused(code, wait) : undefined
      },
      /** Reads what is not counted yet. */
      look: () => all(due().map((counter) => count(counter, 0))),
      /** Returns whether a send may be a call, whatever it was booked as. */
      mayCall: () => waitFor([...counted.values()], browserKind, weightOf('call') - by) === 0,
      /** Counts the difference if a send used another channel than booked. Refuses nothing, because it was sent. */
      async wentBy(channel: Channel): Promise<void> {
        const heavier = counters.flatMap((counter) => {
          const more = amount(counter.max, browserKind, weightOf(channel)) - amountOf(counter)
          return more > 0 ? [add(counter, more)] : []
        })
        await allEnded(heavier)
      },
      /** What the number has had of it in its day, this one included, whatever was given back since. */
      ofDay: () => ofDay,
    }
  }

  return {
    /** Returns the limits of one send. A call counts as two. */
    forSend: (number: string, browserKind: BrowserKind, channel: Channel) =>
      budgetOf(sendsOf(number), browserKind, weightOf(channel), 'send_limit'),

    /** Returns the limit of one wrong code. It is counted before the check, and refunded unless the code was wrong. */
    forCode: (number: string, browserKind: BrowserKind) =>
      budgetOf(wrongOf(number), browserKind, 1, 'attempts_exhausted'),

    /** What each number of an account has had in its day, over all accounts. */
    sentTo({ lane, factors }: Pick<Account, 'lane' | 'factors'>): Awaitable<NumberCounts> {
      const numbers = lane === 'auth' ? factors.filter(isPhone) : []
      const counts = numbers.map(({ key: number }) => {
        const { key, windowMs } = sendsInDay(number)
        return andThen(store.increment(key, windowMs, 0), (counted) => [number, countIn(counted)] as const)
      })
      return andThen(all(counts), (entries) => Object.fromEntries(entries))
    },

    /**
     * Returns how long this browser kind waits until a code can be sent to a number, and until one can be submitted.
     */
    async waits(
      number: string,
      browserKind: BrowserKind,
    ): Promise<{ readonly sendMs: number; readonly checkMs: number }> {
      const of = async (counters: readonly Counter[]) => {
        const counts = await all(counters.map((counter) => count(counter, 0)))
        return waitFor(counts, browserKind, 1)
      }
      const [sendMs, checkMs] = await Promise.all([of(sendsOf(number)), of(wrongOf(number))])
      return { sendMs, checkMs }
    },

    /** Resets the sends and the wrong codes of a number. */
    async clear(number: string): Promise<void> {
      // A count never falls below 0.
      const clear = async ({ key, windowMs }: Counter) =>
        store.increment(key, windowMs, -Number.MAX_SAFE_INTEGER)
      await Promise.all([...sendsOf(number), ...wrongOf(number)].map(clear))
    },
  }
}
