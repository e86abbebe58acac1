import { allSettled } from '../lib/promises.js'
import {
  type Refusal,
  type ResendCommand,
  refused,
  type SendCommand,
  type StartCommand,
  type StartOutcome,
} from './commands.js'
import type { Channel, SendResult } from './exchange/code-provider.js'
import { createDispatch, type DispatchParts, notDelivered, permission } from './exchange/dispatch.js'
import { isVoided } from './ledger/challenge.js'
import type { Decision, LedgerView } from './ledger/ledger.js'
import type { Command, Decided } from './ledger/ledgers.js'
import {
  type Booked,
  isUndelivered,
  refusalOfUnsent,
  resend,
  type SendOutcome,
  type Sent,
  settleSend,
  start,
} from './ledger/sends.js'
import { acceptedChannels } from './purposes.js'
import type { Counters, SendBudget } from './rate-limits/counters.js'
import type { NumberCounters } from './rate-limits/number-counters.js'
import { type Account, about, type Counts, gather, type Seen } from './reach/account.js'
import { isNumber, type NumberPlace, type Place, type Way } from './reach/factors.js'
import { type Unsent, unsentChallenge } from './sealed-challenges.js'
import { insist, newChallengeId, newCommandId } from './updater.js'

/** What a send would do to the ledger. Pure: it decides again on the ledger that made a swap fail. */
type Decide = (view: LedgerView, chosen?: Channel) => Decision<SendOutcome>

/** Which parts of the domain a code is sent by. */
export interface SendParts extends DispatchParts {
  readonly counters: Counters
  readonly numberCounters: NumberCounters
  readonly unsent: Unsent
}

/** What is read before anything is decided. */
interface Gathered extends Seen {
  readonly budget: SendBudget
  /** By the counters. */
  readonly refusal: Refusal | undefined
  readonly counts: Counts | undefined
}

/** Start and resend: book the send, hand the code over to the provider, record what became of it. */
export function createSend(parts: SendParts) {
  const { counters, numberCounters, accounts, purposes, unsent, emit } = parts
  const dispatch = createDispatch(parts)

  async function send(
    command: SendCommand,
    account: Account,
    place: NumberPlace,
    { seen, who, budget, refusal }: Gathered,
    decide: Decide,
  ): Promise<StartOutcome> {
    const view = (known: LedgerView, live: Booked['challenge']) =>
      accounts.view(account, place, live, { seen: known, who })
    const notBooked = (outcome: Exclude<SendOutcome, Booked>, known: LedgerView): StartOutcome =>
      outcome.outcome === 'refused'
        ? outcome
        : { outcome: 'already-sent', challenge: view(known, outcome.challenge) }

    if (refusal !== undefined) return refusal

    // Decide. A refused send needs no captcha, and one that the host refuses changes nothing.
    const { outcome: plan } = decide(seen)
    // SMS pumping: nothing is booked unasked, not even where a cooldown has ended since this was read.
    if (plan.outcome !== 'booked') return notBooked(plan, seen)
    const channels = sendable(place, plan.challenge.purpose, command.methods)
    const permitted = await permission(account, place, plan.challenge, command.beforeSend, channels, budget)
    if (permitted.outcome === 'refused') return permitted

    // Commit: the ledger first, then the counters, so that of parallel requests only one costs budget.
    const book = once((now) => decide(now, permitted.chosen))
    const booking: Decided<SendOutcome> = await account.ledger.run(book)
    const { outcome: booked } = booking
    if (booked.outcome !== 'booked') {
      await budget.question.refund()
      return notBooked(booked, booking)
    }
    const { challenge, superseded, previousHandle } = booked
    const ofNumber =
      account.lane === 'auth' ? numberCounters.forSend(place.key, who.rank, challenge.channel) : undefined
    const spending = ofNumber === undefined ? [budget] : [budget, ofNumber]
    const settle = (sent: Sent) => account.ledger.run((now) => settleSend(now, booked, sent))
    const counted: (typeof spending)[number][] = []
    const taken = await allSettled(
      spending.map(async (one) => {
        const beyond = await insist<Refusal | undefined>(one.take, one.look).catch(
          async (trouble: unknown) => {
            await allSettled<unknown>([one.undo()])
            throw trouble
          },
        )
        // What refused, or failed, has counted nothing.
        if (beyond === undefined) counted.push(one)
        return beyond
      }),
    )
    /** `last`: what lives on is told from codes of other accounts by what its number was asked for. */
    const giveBack = (result: SendResult['result'], last?: Booked['before']) =>
      allSettled<unknown>(
        counted.map((one) => (one === budget || last?.count ? one.refund(result) : one.undo())),
      )
    const undo = async () => {
      await giveBack('not-sent')
      // The send stays booked where that fails, although nothing was sent: what stopped it is what has to be told.
      await allSettled([settle({ result: { result: 'not-sent' } })])
    }
    const failed = taken.find((one) => one.status === 'rejected')
    const [over] = taken.flatMap((one) => (one.status === 'fulfilled' && one.value) || [])
    if (failed !== undefined || over !== undefined) await undo()
    if (failed !== undefined) throw failed.reason
    if (over !== undefined) return over
    await command.onPassed?.().catch(async (error: unknown) => {
      // Denial of service: a session store that is down must not use up what sign-ups may cost in a day.
      await undo()
      throw error
    })

    // Ask the provider, and settle.
    const mayCall = ofNumber?.mayCall() ?? true
    const order = { challenge, superseded, previousHandle, locale: command.locale, channels, mayCall }
    const { result: sent } = await dispatch(account, place, order, booking)
    const isOut = sent.result === 'sent' || sent.result === 'unconfirmed'
    // A refused send delivered nothing, so hourly and daily budgets come back: the account may be empty. Before it is
    // settled: a code that comes back with the challenge before must not pass for one of another account.
    if (isUndelivered(sent)) await giveBack(sent.result, booked.before ?? superseded)
    // Cost: what goes out as a call instead is two, also for the number.
    if ('channel' in sent && sent.channel) await allSettled([ofNumber?.wentBy(sent.channel)])
    const settled = await settle({ result: sent, count: ofNumber?.ofDay() })
    if (!isOut) throw notDelivered(sent)
    // Another session may have started, or this one cancelled, while the send was under way.
    const { challenge: live } = settled.ledger
    if (live?.id !== challenge.id || isVoided(live)) return refused('challenge_superseded')
    return { outcome: 'started', challenge: view(settled, live), delivery: sent.result }
  }

  /** Nothing is sent, written, counted or paid: the person holds the challenge. */
  async function expect(
    command: SendCommand & { readonly purpose: string; readonly bound?: string | undefined },
    account: Account,
    way: Way,
    known: Seen,
  ): Promise<StartOutcome> {
    const details = command.details && accounts.sealDetails(account, command.details)
    const { purpose, bound } = command
    const challenge = unsentChallenge(way, { purpose, bound, details }, known)
    const refusal = refusalOfUnsent(known.seen, known.who, challenge.expiresAt)
    if (refusal !== undefined) return refusal
    await command.onPassed?.()
    emit({ type: 'challenge.started', ...about(account, way.place, challenge) })
    return {
      outcome: 'started',
      challenge: accounts.view(account, way.place, challenge, known),
      delivery: 'sent',
    }
  }

  /** The methods of this purpose by which a code may be sent that will do. */
  function sendable(place: Place, purpose: string, methods: SendCommand['methods']): readonly Channel[] {
    const accepted = acceptedChannels(purposes.find(purpose)?.channels ?? [], { methods })
    return accepted.filter((channel) => place.takes(channel))
  }

  return {
    async start(command: StartCommand): Promise<StartOutcome> {
      const { bound, methods, destination, channel: wanted } = command
      const purpose = purposes.find(command.purpose)
      // Only the purpose keeps the codes of both lanes apart at the provider.
      if (purpose?.browserStartable !== (command.lane !== 'enrol')) return refused('invalid_request')
      const account = await accounts.open(command)
      if ('outcome' in account) return account
      const budget = counters.forSend(account)
      const gathered = { budget, ...(await gather(command, account, budget.check)) }
      const { seen, who } = gathered
      // A code that the guard does not accept would be paid for in vain: SMS pumping.
      const way = accounts
        .ways(account, acceptedChannels(purpose.channels, command), seen.ledger)
        .find((one) =>
          destination === undefined ? one.channel === (wanted ?? one.channel) : one.id === destination,
        )
      if (way === undefined) return unreachedBy(methods)
      const { place, channel } = way
      if (!isNumber(place)) return expect(command, account, way, gathered)
      const order = {
        sendId: newCommandId(),
        challengeId: newChallengeId(),
        purpose: purpose.name,
        bound,
        details: command.details && accounts.sealDetails(account, command.details),
        place: place.key,
        ...who,
      }
      return send(command, account, place, gathered, (view, chosen = channel) => {
        const decision = start(view, { channel: chosen, ...order })
        const replaces = decision.outcome.outcome === 'booked' && decision.outcome.superseded !== undefined
        return command.unasked && replaces ? { outcome: refused('challenge_superseded') } : decision
      })
    },

    async resend(command: ResendCommand): Promise<StartOutcome> {
      const account = await accounts.open(command)
      if ('outcome' in account) return refused('challenge_gone')
      const budget = counters.forSend(account)
      const sent = () => numberCounters.sentTo(account)
      const gathered = { budget, ...(await gather(command, account, budget.check, sent)) }
      const awaited = unsent.awaited(account, command.shown ?? {}, gathered)
      if ('outcome' in awaited) return awaited
      const { place, challenge, id, shown } = awaited
      if (!isNumber(place)) {
        return { outcome: 'already-sent', challenge: accounts.view(account, place, challenge, gathered, id) }
      }
      // The provider may have sent the one before by another channel than asked for.
      const accepted = sendable(place, challenge.purpose, command.methods)
      const { channel = accepted.find((one) => one === challenge.channel) ?? accepted[0] } = command
      if (channel === undefined || !accepted.includes(channel)) return unreachedBy(command.methods)
      const { who, counts } = gathered
      const order = { sendId: newCommandId(), shown, counts, ...who }
      return send(command, account, place, gathered, (view, chosen = channel) =>
        resend(view, { channel: chosen, ...order }),
      )
    },
  }
}

/** A booking whose answer was lost is found by its id, whoever has written since: else nobody would send its code. */
function once(decide: Command<SendOutcome>): Command<SendOutcome> {
  let booked: Booked | undefined
  return (view) => {
    const made = booked
    if (made !== undefined && view.ledger.sends.some(({ id }) => id === made.sendId)) return { outcome: made }
    const decision = decide(view)
    booked = decision.outcome.outcome === 'booked' ? decision.outcome : undefined
    return decision
  }
}

/** Where no code can be sent that will do, with what would. */
const unreachedBy = (methods: SendCommand['methods']): Refusal => ({
  ...refused('invalid_request'),
  ...(methods && { methods }),
})
