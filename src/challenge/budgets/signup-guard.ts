import type { Emit } from '../../events.js'
import { dayMs, hourMs } from '../../lib/time.js'
import type { Store } from '../../store/store.js'
import { type Refusal, refused, type Suspicion } from '../commands.js'
import type { Keys } from '../keys.js'
import type { Allowance } from './counting.js'

/** When a country is suspected of SMS pumping, and what then happens. */
export interface SignupGuardRules {
  readonly mode: 'observe' | 'enforce'
  /** Sends without a proof of the number, per country and UTC hour, before it is suspected. */
  readonly unprovenPerHour: number
  /** The same per UTC day. */
  readonly unprovenPerDay: number
  /** How many times the proven numbers of the window may stay unproven, where that is more. */
  readonly ratio: number
  /** The countries that are watched. Default: all. */
  readonly countries?: readonly string[] | undefined
}

export interface Suspected {
  readonly suspicion: Suspicion
  /** How a start is refused where nobody else decides. Absent where the guard only observes. */
  readonly refusal?: Refusal
}

/** What one sign-up counts against its country. */
export interface CountrySend {
  /** One for each window. */
  readonly allowances: readonly Allowance[]
  /** Reads what the country has had. Counts nothing. */
  read(): Promise<unknown>
  /** Whether that is suspect, to an address with so many unproven sends; undefined where no address is known. */
  suspected(unproven: number | undefined): Suspected | undefined
  /** Called once every limit has agreed: what one address adds beyond its tenth counts no longer. */
  settle(unproven: number | undefined): Promise<unknown>
}

/**
 * Watches how many sign-ups of a country are completed. Whoever is paid for the messages (SMS pumping, toll
 * fraud) has no use for the codes, from however many addresses and numbers the requests come. Counted by increments
 * alone: one entry that all sign-ups of a country had to swap would refuse honest people at every rush.
 */
export interface SignupGuard {
  /** Undefined for a country that is not watched. */
  forSend(country: string): CountrySend | undefined
  /** A number of this country was proven, by an address with so many unproven sends. */
  approved(country: string, unproven?: number): Promise<void>
  /** What this process knows to be suspected now. From memory. */
  suspected(): readonly Suspicion[]
}

/** One UTC hour or day of one country. */
interface CountryWindow {
  readonly span: 'hour' | 'day'
  readonly country: string
  /** Such as `CO.2026-03-01T12` or `CO.2026-03-01`. */
  readonly tag: string
  readonly previousTag: string
  readonly lengthMs: number
  readonly endsAt: number
  /** How many sends may stay unproven however few are proven. */
  readonly floor: number
}

type Counts = Pick<Suspicion, 'sent' | 'approved'>

function windowsOf(country: string, at: number, rules: SignupGuardRules): readonly CountryWindow[] {
  const window = (span: CountryWindow['span'], lengthMs: number, floor: number): CountryWindow => {
    const tagAt = (time: number) =>
      `${country}.${new Date(time).toISOString().slice(0, span === 'hour' ? 13 : 10)}`
    const endsAt = (Math.floor(at / lengthMs) + 1) * lengthMs
    return { span, country, tag: tagAt(at), previousTag: tagAt(at - lengthMs), lengthMs, endsAt, floor }
  }
  return [window('hour', hourMs, rules.unprovenPerHour), window('day', dayMs, rules.unprovenPerDay)]
}

/**
 * Whether an address has had so many unproven sends that further ones do not count for its country. Else a single one
 * could close it: whoever is refused cannot prove a number, so that the country would stay suspected (denial of service).
 */
const isBeyondShare = (unproven = 0, { floor }: CountryWindow) =>
  unproven > Math.max(1, Math.floor(floor / 10))

export function createSignupGuard(parts: {
  readonly store: Pick<Store, 'increment'>
  readonly keys: Keys
  readonly signupGuard: SignupGuardRules
  readonly now: () => number
  readonly emit: Emit
}): SignupGuard {
  const { store, keys, signupGuard: rules, now, emit } = parts
  const isWatched = (country: string) => rules.countries?.includes(country) ?? true
  /** By country and span, so that the number of countries bounds them: what this process last saw, and told. */
  const suspects = new Map<string, Counts & { readonly window: CountryWindow }>()
  const toldIn = new Map<string, string>()
  const nameOf = ({ country, span }: CountryWindow) => `${country} ${span}`

  async function count(
    what: 'sent' | 'approved' | 'told',
    { lengthMs }: CountryWindow,
    tag: string,
    by: number,
  ): Promise<number> {
    // Twice its length, so that it is still there when the next window begins.
    return (await store.increment(keys.counter(`count-country-${what}`, tag), 2 * lengthMs, by)).count
  }

  async function read(window: CountryWindow, tag = window.tag): Promise<Counts> {
    const [sent, approved] = await Promise.all([
      count('sent', window, tag, 0),
      count('approved', window, tag, 0),
    ])
    return { sent, approved }
  }

  /** Whether a window is suspect, which is remembered for `suspected`. */
  function judge(window: CountryWindow, { sent, approved }: Counts): boolean {
    const isSuspect = sent - approved >= Math.max(window.floor, rules.ratio * approved)
    if (isSuspect) suspects.set(nameOf(window), { window, sent, approved })
    else suspects.delete(nameOf(window))
    return isSuspect
  }

  type SpendEvent = 'spend.suspected' | 'spend.cleared'

  /** Once per window over all processes: whoever counts the first emits it. */
  async function tell(type: SpendEvent, window: CountryWindow, tag: string, counts: Counts): Promise<void> {
    if ((await count('told', window, `${tag}.${type}`, 1)) > 1) return
    emit({ type, country: window.country, window: window.span, ...counts })
  }

  const wasSuspected = async (window: CountryWindow, tag: string) =>
    (await count('told', window, `${tag}.spend.suspected`, 0)) > 0

  /** Raises the suspicion, and ends that of the window before. */
  async function noteSent(window: CountryWindow, counts: Counts): Promise<void> {
    const { tag, previousTag } = window
    if (judge(window, counts) && toldIn.get(nameOf(window)) !== tag) {
      toldIn.set(nameOf(window), tag)
      await tell('spend.suspected', window, tag, counts)
    }
    if (counts.sent > 1 || !(await wasSuspected(window, previousTag))) return
    await tell('spend.cleared', window, previousTag, await read(window, previousTag))
  }

  /** A send that was not counted is counted now. */
  async function noteApproved(window: CountryWindow, isUncounted: boolean): Promise<void> {
    const { tag } = window
    const [approved, sent, suspected] = await Promise.all([
      count('approved', window, tag, 1),
      count('sent', window, tag, isUncounted ? 1 : 0),
      wasSuspected(window, tag),
    ])
    const counts = { sent, approved }
    if (!judge(window, counts) && suspected) await tell('spend.cleared', window, tag, counts)
  }

  const refusalIn = ({ endsAt }: CountryWindow): Refusal => ({
    ...refused('sending_paused', Math.max(1, endsAt - now())),
    limit: 'country',
  })

  return {
    forSend(country) {
      if (!isWatched(country)) return undefined
      let isKnown = false
      /** Its address has wasted nothing, so whoever pumps the country does it from elsewhere. */
      let isClean = false
      const sends = windowsOf(country, now(), rules).map((window) => {
        let counts: Counts = { sent: 0, approved: 0 }
        let isCounted = true
        const refund = async () => isCounted && count('sent', window, window.tag, -1)
        return {
          window,
          refund,
          async read() {
            counts = await read(window)
          },
          suspicion: () => (judge(window, counts) ? { country, ...counts } : undefined),
          async take() {
            const sent = await count('sent', window, window.tag, 1)
            counts = { ...counts, sent }
            // Of parallel sign-ups, all of which were still unsuspected when they asked, the surplus is refused.
            const isSurplus = !isKnown && judge(window, { ...counts, sent: sent - 1 })
            return rules.mode === 'enforce' && isSurplus && !isClean ? refusalIn(window) : undefined
          },
          async settle(unproven: number | undefined) {
            if (!isBeyondShare(unproven, window)) return noteSent(window, counts)
            await refund()
            isCounted = false
          },
        }
      })
      return {
        allowances: sends,
        read: () => Promise.all(sends.map((one) => one.read())),
        suspected(unproven) {
          isClean = unproven === 0
          const found = sends.map(({ window, suspicion }) => ({ window, suspicion: suspicion() }))
          const first = found.find(({ suspicion }) => suspicion !== undefined)
          if (first?.suspicion === undefined) return undefined
          isKnown = true
          const { window, suspicion } = first
          const isOpen = isClean || rules.mode === 'observe'
          return isOpen ? { suspicion } : { suspicion, refusal: refusalIn(window) }
        },
        // Not before all have agreed: the surplus of a burst stands in the counters for a moment.
        // An event that is lost must not keep a code from being sent.
        settle: (unproven) => Promise.all(sends.map((one) => one.settle(unproven))).catch(() => undefined),
      }
    },

    async approved(country, unproven) {
      if (!isWatched(country)) return
      await Promise.all(
        // One beyond the share of its address did not count when it was sent.
        windowsOf(country, now(), rules).map((window) =>
          noteApproved(window, isBeyondShare(unproven, window)),
        ),
      )
    },

    suspected() {
      const live = [...suspects.values()].filter(({ window }) => now() < window.endsAt)
      return live.map(({ window, sent, approved }) => ({ country: window.country, sent, approved }))
    },
  }
}
