import { expect, it } from 'vitest'
import type { CodeProvider } from '../../src/challenge/exchange/code-provider.js'
import { failover } from '../../src/provider/failover.js'
import { figure } from '../prove/figure.js'
import { seeded } from '../seeded.js'
import { createService, rightCode } from './service.js'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

type Kind = 'sends' | 'checks' | 'both'

/** A service that is silent about sends, checks or both, and bills each send that it received. */
function outage(name: string, kind: Kind | 'none') {
  const state = { isDown: true, billed: 0, arrived: new Set<string>() }
  const codes: CodeProvider = {
    name,
    async sendCode({ destination }) {
      if (state.isDown && (kind === 'sends' || kind === 'both')) return { result: 'unconfirmed' }
      state.billed += 1
      state.arrived.add(destination)
      return { result: 'sent', lifetimeMs: 600_000 }
    },
    async checkCode({ code }) {
      if (state.isDown && (kind === 'checks' || kind === 'both')) return 'unavailable'
      return code === rightCode ? 'approved' : 'rejected'
    },
  }
  return { state, codes }
}

/** How long a user waits between two presses. */
const paces = [20 * second, 2 * minute, 20 * minute]
/** Bound 26. */
const allowedMs = 10 * minute
/**
 * A check without a verdict may have been right, so it uses an attempt, and unknown browsers have 30 a day (bound 5).
 * After 24 such codes, one each ten minutes, the last six are spread over the day.
 */
const attemptsLastMs = { unknown: 4 * hour, known: 6 * hour }
const allowedAfterwardsMs = 4 * hour

const cases = [10 * minute, 3 * hour, 6 * hour].flatMap((durationMs) =>
  (['sends', 'checks', 'both'] as const).flatMap((kind) =>
    [false, true].map((hasOther) => ({ durationMs, kind, hasOther, minutes: durationMs / minute })),
  ),
)
const dayAndMore = { durationMs: 30 * hour, kind: 'checks', hasOther: false, minutes: 1_800 } as const

it.each([...cases, dayAndMore])(
  'an outage of $minutes minutes of $kind keeps nobody out for a day, with a fail-over: $hasOther',
  async ({ durationMs, kind, hasOther }) => {
    const main = outage('main', kind)
    const other = outage('other', 'none')
    other.state.isDown = false
    const codes = hasOther ? failover([main.codes, other.codes]) : main.codes
    const { challenges, now, wait, eventTypes } = createService({
      codes,
      limits: { serviceSendsPerMinute: 1_000_000 },
    })
    const random = seeded(durationMs)
    // The most impatient have used up nothing more after a day than after six hours.
    const people = (durationMs > 6 * hour ? paces.slice(1) : paces).flatMap((paceMs, pace) =>
      [true, false].map((knownBrowser) => {
        const phone = `+57300${1_000_000 + 10 * pace + Number(knownBrowser)}`
        const who = { subject: phone, session: phone, phone, knownBrowser, purpose: 'login' }
        return {
          who,
          paceMs,
          knownBrowser,
          nextAt: now() + random(paceMs),
          inAt: undefined as number | undefined,
        }
      }),
    )
    const startedAt = now()
    const endsAt = startedAt + durationMs

    /** Presses "send" if no code is there, or types the code. */
    async function press({ who }: (typeof people)[number]): Promise<boolean> {
      const type = async () => {
        const hasCode = main.state.arrived.has(who.phone) || other.state.arrived.has(who.phone)
        const typed = hasCode && (await challenges.verify({ ...who, code: rightCode }).catch(asRefusal))
        return typed !== false && typed.outcome === 'approved'
      }
      if (await type()) return true
      await challenges.start(who).catch(asRefusal)
      return type()
    }

    while (people.some(({ inAt }) => inAt === undefined) && now() < endsAt + 26 * hour) {
      const next = people.filter(({ inAt }) => inAt === undefined).sort((a, b) => a.nextAt - b.nextAt)[0]
      if (next === undefined) break
      wait(Math.max(0, next.nextAt - now()))
      main.state.isDown = now() < endsAt
      if (await press(next)) next.inAt = now()
      // After the outage everybody tries once a minute.
      next.nextAt =
        now() + (now() < endsAt ? Math.min(next.paceMs, Math.max(endsAt - now(), second)) : minute)
    }
    const waits = people.map(({ inAt = Number.POSITIVE_INFINITY }) => Math.max(0, inAt - endsAt))
    const late = waits.filter((waitMs) => waitMs > allowedMs)
    const byOther = hasOther ? `, ${other.state.billed} by the other` : ''
    figure(
      26,
      `${durationMs / minute} minutes without ${kind}${hasOther ? ', with a fail-over' : ''}: ${late.length} of ${people.length} wait longer than ten minutes, ${Math.round(Math.max(...waits) / minute)} at most; paid: ${main.state.billed} sends${byOther}`,
    )
    const kept = people.filter(({ knownBrowser }, index) => {
      const isShort = durationMs <= attemptsLastMs[knownBrowser ? 'known' : 'unknown']
      const mostMs = kind === 'checks' && !hasOther && !isShort ? allowedAfterwardsMs : allowedMs
      return (waits[index] ?? 0) > mostMs
    })
    expect(kept.map(({ who, paceMs }) => [who.subject, paceMs])).toEqual([])
    expect(eventTypes()).not.toContain('subject.locked')
    expect(eventTypes()).not.toContain('challenge.rejected')
  },
)

const asRefusal = (error: unknown) => ({ outcome: 'refused', code: String(Object(error).code) }) as const
