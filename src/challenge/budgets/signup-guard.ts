import type { Emit } from '../../events.js'
import type { Store } from '../../store/store.js'
import { type Refusal, refused, type Suspicion } from '../commands.js'
import type { Keys } from '../keys.js'
import { type Allowance, together } from './allowance.js'
import { type CountryWindow, createConversions, type SignupGuardRules, windowsOf } from './conversions.js'

/** What one sign-up counts against its country. */
export interface CountryAllowance extends Allowance {
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
  forSend(country: string): CountryAllowance
  /** A number of this country was proven. */
  approved(country: string): Promise<void>
  /** What this process knows to be suspected now. From memory. */
  suspected(): readonly Suspicion[]
}

const unwatched: CountryAllowance = {
  check: async () => undefined,
  take: async () => undefined,
  refund: async () => undefined,
}

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
    forSend(country) {
      if (!isWatched(country)) return unwatched
      let isKnown = false
      const windows = windowsOf(country, now(), rules).map((window) => {
        let sent = 0
        let approved = 0
        const refund = async () => conversions.add('sent', window, -1)
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
            if (rules.mode === 'enforce' && isSurplus) {
              await refund()
              return refusalIn(window)
            }
            return undefined
          },
          refund,
          note: async () => conversions.noteSent(window, { sent, approved }),
        }
      })
      const all = together(windows)
      return {
        async take() {
          const refusal = await all.take()
          // Not before both have agreed: the surplus of a burst stands in the counters for a moment.
          if (refusal !== undefined) return refusal
          // An event that is lost must not keep a code from being sent.
          await Promise.all(windows.map((window) => window.note())).catch(() => undefined)
          return undefined
        },
        refund: all.refund,
        async check() {
          const found = await Promise.all(windows.map((window) => window.check()))
          const suspected = found.find((one) => one !== undefined)
          isKnown = suspected !== undefined
          return suspected
        },
      }
    },

    async approved(country) {
      if (!isWatched(country)) return
      await Promise.all(windowsOf(country, now(), rules).map((window) => conversions.noteApproved(window)))
    },

    suspected: () => conversions.suspected(),
  }
}
