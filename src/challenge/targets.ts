import type { AboutChallenge, AboutExchange } from '../events.js'
import { type Awaitable, all, andThen } from '../lib/promises.js'
import { maskPhoneNumber, type PhoneNumber, parsePhoneNumber } from '../phone-number.js'
import type { Counted } from './budgets/counter-table.js'
import { appMethod, type Channel, type Details } from './code-provider.js'
import { type Actor, type ChallengeView, type Refusal, refused } from './commands.js'
import { allNumbers, type DestinationView, type NumberOnFile } from './destinations.js'
import { type Basis, hashId } from './keys.js'
import type { Challenge, LedgerView, Who } from './ledger/ledger.js'
import { both, createLedgers, type LedgerInHand } from './ledger/ledgers.js'
import { resendableAt } from './ledger/pacing.js'
import { type Limits, ledgerLimitsOf } from './limits.js'
import type { Purposes } from './purposes.js'

/** One destination in one lane, and who acts on it. */
export interface Target extends Counted, Pick<Actor, 'onGone'>, Omit<NumberOnFile, 'phone'> {
  /** Absent for an authenticator app. */
  readonly phone?: PhoneNumber
  /** What its attempts count in. */
  readonly ledger: LedgerInHand
  /** That of the subject alone, where they count there too. */
  readonly inAll?: LedgerInHand | undefined
}

export interface NumberTarget extends Target {
  readonly phone: PhoneNumber
}

export const hasNumber = (target: Target): target is NumberTarget => target.phone !== undefined

/** Whether a code may get there in this way. */
export const takes = ({ phone, methods }: Target, channel: Channel): boolean =>
  (channel === appMethod) === (phone === undefined) && (methods?.includes(channel) ?? true)

/** One way to a person. */
export interface Way {
  readonly channel: Channel
  readonly target: Target
  /** Where there may be several: a keyed tag over subject, session, destination and method. */
  readonly id?: string
}

export type Targets = ReturnType<typeof createTargets>

/** Where the codes of somebody may go, and what attempts there count in. */
export function createTargets(
  parts: Basis & {
    readonly limits: Limits
    readonly purposes: Purposes
    readonly countries: readonly string[] | 'any'
    /** How long a browser is known; 0 where none is. */
    readonly knownMaxAgeMs: number
    /** Whether subjects may have an app besides a number: their attempts then count over both, as over several numbers. */
    readonly haveApps: boolean
  },
) {
  const { keys, secrets, purposes, countries } = parts
  const openLedger = createLedgers(parts)
  // Where there is one country to sign up from, its numbers need no country code.
  const onlyCountry = countries !== 'any' && countries.length === 1 ? countries[0] : undefined
  const enrol = ledgerLimitsOf(parts.limits, 'enrol')
  const auth = ledgerLimitsOf(parts.limits, 'auth')
  // Browsers that are known have a share of their own of what may be tried.
  const inBrowsers = ledgerLimitsOf(parts.limits, 'auth', parts.knownMaxAgeMs > 0)
  const limitsFor = ({ lane, browser }: Actor) =>
    lane === 'enrol' ? enrol : browser === undefined ? auth : inBrowsers

  /** What the person was shown when this challenge began. */
  function detailsOf({ key }: Target, { details }: Challenge): Details | undefined {
    const opened = details && secrets.open('details', details, key)
    return opened ? JSON.parse(opened) : undefined
  }

  /** Its cooldown is each number's own. */
  const shared = (subject: string, limits = inBrowsers) =>
    openLedger(keys.subject(subject), { ...limits, cooldownMs: [] })

  /** Undefined where the number is all there is. */
  function sharedBy(actor: Actor): LedgerInHand | undefined {
    const haveSeveral = parts.haveApps || actor.numbers !== undefined
    return haveSeveral && actor.lane !== 'enrol' ? shared(actor.subject, limitsFor(actor)) : undefined
  }

  const whoCounts = (actor: Actor) => {
    const { lane = 'auth', subject, session, address, proxied = false, anonymous = false, onGone } = actor
    return { lane, subject, anonymous, session, address, proxied, onGone }
  }

  async function numberOf(
    actor: Actor,
    { phone, methods, label }: NumberOnFile,
    inAll: LedgerInHand | undefined,
  ): Promise<Target | Refusal> {
    const who = whoCounts(actor)
    const { lane } = who
    /** By a visitor: not what the host has on file. */
    const isTyped = lane === 'enrol'
    const defaultCountry = actor.country ?? (isTyped ? onlyCountry : undefined)
    const parsed = await parsePhoneNumber(phone, { countries, mobileOnly: isTyped, defaultCountry })
    if (!parsed.ok) {
      const { refusal: reason } = parsed
      const isUnreadable = reason === 'not-a-number' || reason === 'wrong-length'
      if (isTyped) return { ...refused(isUnreadable ? 'invalid_request' : 'destination_not_allowed'), reason }
      return { ...refused('destination_not_allowed'), untold: reason }
    }
    const key = keys.ledger(lane, parsed.phone)
    const own = openLedger(key, limitsFor(actor))
    const ledger = inAll === undefined ? own : both(own, inAll)
    return { phone: parsed.phone, country: parsed.country, methods, label, key, ledger, inAll, ...who }
  }

  /** All that this one can be reached at; the refusal of the first number, where nothing can be read. */
  async function destinationsOf(
    actor: Actor,
    inAll: LedgerInHand | undefined,
  ): Promise<readonly [Target, ...Target[]] | Refusal> {
    const { subject, secret } = actor
    const readable: Target[] = []
    let refusal: Refusal | undefined
    for (const number of allNumbers(actor)) {
      const one = await numberOf(actor, number, inAll)
      if ('outcome' in one) refusal ??= one
      else readable.push(one)
    }
    if (secret !== undefined && inAll !== undefined) {
      readable.push({ country: '', key: keys.subject(subject), ledger: inAll, ...whoCounts(actor) })
    }
    const [first, ...others] = readable
    return first === undefined ? (refusal ?? refused('no_phone')) : [first, ...others]
  }

  return {
    /** The ledger of a number on file. */
    ledgerOf: (phone: PhoneNumber) => openLedger(keys.ledger('auth', phone), inBrowsers),

    /** The ledger of a subject over all of its destinations. */
    shared: (subject: string) => shared(subject),

    /** Where this one's live challenge is; the first number, where there is none. */
    async live(actor: Actor): Promise<Target | Refusal> {
      const inAll = sharedBy(actor)
      const found = await destinationsOf(actor, inAll)
      if ('outcome' in found) return found
      if (inAll === undefined) return found[0]
      const { seen, who } = await gather(actor, inAll)
      const live = found.find(({ key }) => key === seen.ledger[who.budget].challenge?.number)
      // Not an app: its code must not pass for that of a text to a number that is no longer on file.
      return live ?? (hasNumber(found[0]) ? found[0] : refused('challenge_gone'))
    },

    /** Every way by one of these channels to one of its destinations, the last that worked first, then in their order. */
    async ways(actor: Actor, channels: readonly Channel[]): Promise<readonly Way[] | Refusal> {
      const inAll = sharedBy(actor)
      const found = await destinationsOf(actor, inAll)
      if ('outcome' in found) return found
      const idOf = ({ subject, session, key }: Target, channel: Channel) =>
        secrets.tag('destination', JSON.stringify([subject, session, key, channel]))
      const ways = channels.flatMap((channel) =>
        found
          .filter((target) => takes(target, channel))
          .map((target) => ({ channel, target, ...(inAll && { id: idOf(target, channel) }) })),
      )
      const last = (await inAll?.read())?.ledger.lastWay
      const isLast = ({ channel, target: { key } }: Way) => key === last?.number && channel === last.channel
      return last === undefined
        ? ways
        : ways.sort((one, other) => Number(isLast(other)) - Number(isLast(one)))
    },

    /** A way as the person may see it. `current`: key of the destination of the live challenge. */
    shown: (
      { id = '', channel, target: { phone, label, key } }: Way,
      current: string | undefined,
    ): DestinationView => ({
      id,
      method: channel,
      masked: maskedIn(phone),
      ...(label !== undefined && { label }),
      isCurrent: key === current,
    }),

    /** As they are stored: nobody learns amount or payee from the store. */
    sealDetails: ({ key }: Target, details: Details) => secrets.seal('details', JSON.stringify(details), key),
    detailsOf,

    view(target: Target, challenge: Challenge, seen: LedgerView): ChallengeView {
      const details = detailsOf(target, challenge)
      const { shared } = seen
      const inAll = shared?.ledger[challenge.budget].challenge
      const resendableInAll = shared && inAll ? resendableAt(shared, inAll) : 0
      const channels = purposes.find(challenge.purpose)?.channels ?? [challenge.channel]
      return {
        id: challenge.id,
        purpose: challenge.purpose,
        channel: challenge.channel,
        destination: maskedIn(target.phone),
        expiresAt: challenge.expiresAt,
        resendAt: Math.max(resendableAt(seen, challenge), resendableInAll),
        attemptsRemaining:
          seen.limits.attemptsPerChallenge - Math.max(challenge.attempts, inAll?.attempts ?? 0),
        channels: channels.filter((channel) => channel !== appMethod && takes(target, channel)),
        ...(details && { details }),
      }
    },
  }
}

const maskedIn = (phone: PhoneNumber | undefined) => (phone === undefined ? '' : maskPhoneNumber(phone))

/** What every event of a challenge reports, and what is known of the exchange with its provider. */
export function about<Exchange extends AboutExchange>(
  { lane, subject, country }: Target,
  { purpose, channel, id: challengeId }: Challenge,
  exchange?: Exchange,
): AboutChallenge & Exchange {
  return { lane, purpose, channel, challengeId, subject, country, ...(exchange as Exchange) }
}

/**
 * Reads what a decision on a ledger goes by besides the command: the ledger, who acts on it, and what refuses by the
 * counters, if anything. Issued together: over a network store that is one round trip.
 */
export function gather(
  { subject, session, browser, record, visitor }: Actor,
  ledger: Pick<LedgerInHand, 'read'>,
  counters?: () => Awaitable<Refusal | undefined>,
) {
  const reads = [ledger.read(), browser?.isKnown(), record?.read(), visitor?.read(), counters?.()] as const
  return andThen(all(reads), ([seen, isKnown, epoch, owner, refusal]) => {
    const who: Who = {
      budget: isKnown ? 'known' : 'strangers',
      session: hashId(owner ?? session),
      subject: hashId(owner ?? subject),
      epoch,
    }
    return { seen, who, refusal }
  })
}
