import type { Emit } from '../../events.js'
import { dayMs, hourMs } from '../../lib/time.js'
import type { Store } from '../../store/store.js'
import type { Suspicion } from '../commands.js'
import type { Keys } from '../keys.js'

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

/** One UTC hour or day of one country. */
export interface CountryWindow {
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

export interface Counts {
  readonly sent: number
  readonly approved: number
}

type Rules = Pick<SignupGuardRules, 'unprovenPerHour' | 'unprovenPerDay' | 'ratio'>

export function windowsOf(country: string, at: number, rules: Rules): readonly CountryWindow[] {
  const window = (span: CountryWindow['span'], lengthMs: number, floor: number): CountryWindow => {
    const tagAt = (time: number) =>
      `${country}.${new Date(time).toISOString().slice(0, span === 'hour' ? 13 : 10)}`
    const endsAt = (Math.floor(at / lengthMs) + 1) * lengthMs
    return { span, country, tag: tagAt(at), previousTag: tagAt(at - lengthMs), lengthMs, endsAt, floor }
  }
  return [window('hour', hourMs, rules.unprovenPerHour), window('day', dayMs, rules.unprovenPerDay)]
}

type CountName = 'sent' | 'approved' | 'told'

/**
 * Sends and proofs per country, counted by increments alone: one entry that all sign-ups of a country had to
 * swap would refuse honest people at every rush.
 */
export function createConversions(parts: {
  readonly store: Pick<Store, 'increment'>
  readonly keys: Keys
  readonly signupGuard: Rules
  readonly now: () => number
  readonly emit: Emit
}) {
  const { store, keys, signupGuard: rules, now, emit } = parts
  /** By country and span, so that the number of countries bounds them: what this process last saw, and told. */
  const suspects = new Map<string, Counts & { readonly window: CountryWindow }>()
  const toldIn = new Map<string, string>()

  const nameOf = ({ country, span }: CountryWindow) => `${country} ${span}`

  async function count(
    counter: CountName,
    tag: string,
    { lengthMs }: CountryWindow,
    by: number,
  ): Promise<number> {
    // Twice its length, so that it is still there when the next window begins.
    const result = await store.increment(keys.counter(`count-country-${counter}`, tag), 2 * lengthMs, by)
    return result.count
  }

  const add = (counter: Exclude<CountName, 'told'>, window: CountryWindow, by: number) =>
    count(counter, window.tag, window, by)

  /** Whether a window is suspect, which is remembered for `suspected`. */
  function judge(window: CountryWindow, { sent, approved }: Counts): boolean {
    const suspect = sent - approved >= Math.max(window.floor, rules.ratio * approved)
    if (suspect) suspects.set(nameOf(window), { window, sent, approved })
    else suspects.delete(nameOf(window))
    return suspect
  }

  async function read(window: CountryWindow, tag = window.tag): Promise<Counts> {
    const [sent, approved] = await Promise.all([
      count('sent', tag, window, 0),
      count('approved', tag, window, 0),
    ])
    return { sent, approved }
  }

  /** Once per window over all processes: whoever counts the first emits it. */
  async function tell(
    type: 'spend.suspected' | 'spend.cleared',
    window: CountryWindow,
    tag: string,
    counts: Counts,
  ): Promise<void> {
    if ((await count('told', `${tag}.${type}`, window, 1)) > 1) return
    emit({ type, country: window.country, window: window.span, ...counts })
  }

  const wasSuspected = async (window: CountryWindow, tag: string) =>
    (await count('told', `${tag}.spend.suspected`, window, 0)) > 0

  return {
    add,
    judge,
    read: (window: CountryWindow) => read(window),

    /** Raises the suspicion, and ends that of the window before. */
    async noteSent(window: CountryWindow, counts: Counts): Promise<void> {
      if (judge(window, counts) && toldIn.get(nameOf(window)) !== window.tag) {
        toldIn.set(nameOf(window), window.tag)
        await tell('spend.suspected', window, window.tag, counts)
      }
      const { previousTag } = window
      if (counts.sent > 1 || !(await wasSuspected(window, previousTag))) return
      await tell('spend.cleared', window, previousTag, await read(window, previousTag))
    },

    /** `wasUncounted`: its send is counted only now. */
    async noteApproved(window: CountryWindow, wasUncounted: boolean): Promise<void> {
      const [approved, sent, suspected] = await Promise.all([
        add('approved', window, 1),
        add('sent', window, wasUncounted ? 1 : 0),
        wasSuspected(window, window.tag),
      ])
      const counts = { sent, approved }
      if (!judge(window, counts) && suspected) await tell('spend.cleared', window, window.tag, counts)
    },

    suspected(): readonly Suspicion[] {
      const live = [...suspects.values()].filter(({ window }) => now() < window.endsAt)
      return live.map(({ window, sent, approved }) => ({ country: window.country, sent, approved }))
    },
  }
}
