import type { Emit } from '../../events.js'
import type { Store } from '../../store/store.js'
import { type Refusal, refused, type Suspicion } from '../commands.js'
import type { Keys } from '../keys.js'
import { type Allowance, together } from './allowance.js'
import { type CountryWindow, createConversions, type SignupGuardRules, windowsOf } from './conversions.js'
import type { UnprovenSends } from './unproven-sends.js'

/** What one sign-up counts against its country. */
export interface CountryAllowance extends Allowance {
  /** Called once every limit has agreed: what one address adds beyond its tenth counts no longer. */
  settle(): Promise<void>
  /** Whether the country is suspected, and how a start is refused for it where nobody else decides. Counts nothing. */
  check(): Promise<Suspected | undefined>
}

export interface Suspected {
  readonly suspicion: Suspicion
  /** Absent where the guard only observes. */
  readonly refusal?: Refusal
}

/**
 * Watches how many sign-ups of a country are completed. Whoever is paid for the messages (SMS pumping, toll
 * fraud) has no use for the codes, from however many addresses and numbers the requests come.
 */
export interface SignupGuard {
  /** With what its address has sent in vain, where an address is known. */
  forSend(country: string, unproven?: Pick<UnprovenSends, 'check' | 'count'>): CountryAllowance
  /** A number of this country was proven, by an address with so many unproven sends. */
  approved(country: string, unproven?: number): Promise<void>
  /** What this process knows to be suspected now. From memory. */
  suspected(): readonly Suspicion[]
}

const unwatched: CountryAllowance = {
  check: async () => undefined,
  take: async () => undefined,
  refund: async () => undefined,
  settle: async () => undefined,
}

/**
 * How many of its unproven sends an address may count for its country. Else a single one could close it:
 * whoever is refused cannot prove a number, so that the country would stay suspected (denial of service).
 */
const shareOf = ({ floor }: CountryWindow) => Math.max(1, Math.floor(floor / 10))

export function createSignupGuard(parts: {
  readonly store: Pick<Store, 'increment'>
  readonly keys: Keys
  readonly signupGuard: SignupGuardRules
  readonly now: () => number
  readonly emit: Emit
}): SignupGuard {
  const { signupGuard: rules, now } = parts
  const conversions = createConversions(parts)
  const isWatched = (country: string) => rules.countries?.includes(country) ?? true

  const refusalIn = ({ endsAt }: CountryWindow): Refusal => ({
    ...refused('sending_paused', Math.max(1, endsAt - now())),
    limit: 'country',
  })

  return {
    forSend(country, unproven) {
      if (!isWatched(country)) return unwatched
      let isKnown = false
      /** It has wasted nothing, so whoever pumps the country does it from elsewhere. */
      let isClean = false
      const windows = windowsOf(country, now(), rules).map((window) => {
        let sent = 0
        let approved = 0
        let isCounted = true
        const refund = async () => {
          if (isCounted) await conversions.add('sent', window, -1)
        }
        return {
          async check(): Promise<Suspected | undefined> {
            const counts = await conversions.read(window)
            approved = counts.approved
            if (!conversions.judge(window, counts)) return undefined
            const suspicion = { country, ...counts }
            return rules.mode === 'observe' ? { suspicion } : { suspicion, refusal: refusalIn(window) }
          },
          async take() {
            sent = await conversions.add('sent', window, 1)
            // Of parallel sign-ups, all of which were still unsuspected when they asked, the surplus is refused.
            const isSurplus = !isKnown && conversions.judge(window, { sent: sent - 1, approved })
            if (rules.mode === 'enforce' && isSurplus && !isClean) {
              await refund()
              return refusalIn(window)
            }
            return undefined
          },
          refund,
          async settle() {
            if (unproven === undefined || unproven.count <= shareOf(window)) {
              return conversions.noteSent(window, { sent, approved })
            }
            await refund()
            isCounted = false
          },
        }
      })
      const all = together(windows)
      return {
        take: all.take,
        // Not before all have agreed: the surplus of a burst stands in the counters for a moment.
        async settle() {
          // An event that is lost must not keep a code from being sent.
          await Promise.all(windows.map((window) => window.settle())).catch(() => undefined)
        },
        refund: all.refund,
        async check() {
          const [found] = await Promise.all([
            Promise.all(windows.map((window) => window.check())),
            unproven?.check(),
          ])
          const suspected = found.find((one) => one !== undefined)
          isKnown = suspected !== undefined
          isClean = unproven?.count === 0
          return isClean && suspected !== undefined ? { suspicion: suspected.suspicion } : suspected
        },
      }
    },

    async approved(country, unproven = 0) {
      if (!isWatched(country)) return
      await Promise.all(
        windowsOf(country, now(), rules).map((window) =>
          // One beyond its share did not count when it was sent.
          conversions.noteApproved(window, unproven > shareOf(window)),
        ),
      )
    },

    suspected: () => conversions.suspected(),
  }
}
