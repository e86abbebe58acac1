import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { CodeProvider } from '../../src/challenge/exchange/code-provider.js'
import { enough } from '../in-full.js'
import { figure } from '../prove/figure.js'
import { seeded } from '../seeded.js'
import { minute } from './kit.js'
import { createService, person, rightCode } from './service.js'

// What a first start loads takes time that no fake clock moves.
beforeAll(() => createService().challenges.start(person(0)))
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const outageMs = 30 * minute
const sleep = (ms: number) => new Promise((woken) => setTimeout(woken, ms))

/** A service whose sends, checks or both hang until their deadline. */
function hanging(what: readonly string[]) {
  const state = { isDown: true, arrived: new Set<string>() }
  const until = (signal: AbortSignal) => new Promise((told) => signal.addEventListener('abort', told))
  const codes: CodeProvider = {
    async sendCode({ destination, signal }) {
      if (state.isDown && what.includes('sends')) {
        await until(signal)
        return { result: 'unconfirmed' }
      }
      state.arrived.add(destination)
      return { result: 'sent', lifetimeMs: 600_000 }
    },
    async checkCode({ code, signal }) {
      if (!state.isDown || !what.includes('checks')) return code === rightCode ? 'approved' : 'rejected'
      await until(signal)
      return 'unavailable'
    },
  }
  return { state, codes }
}

const people = enough(200, { inFull: 1_000 })
/** Sends that an hour allows. */
const tries = 5
const background = { after: () => undefined, run: () => undefined, close: () => undefined }

it.each([[['sends']], [['checks']], [['sends', 'checks']]])(
  'ten minutes after half an hour of hanging %j nearly all users can sign in',
  async (what) => {
    const { state, codes } = hanging(what)
    const { challenges } = createService({
      codes,
      now: Date.now,
      background,
      limits: { serviceSendsPerMinute: 1_000_000 },
    })
    const random = seeded(people)

    /** Asks for a code, as soon as that is allowed, and types what came; whether that let this one in. */
    async function signsIn(index: number): Promise<boolean> {
      const who = person(index)
      const started = await challenges.start(who).catch(() => undefined)
      if (started?.outcome === 'already-sent' && !state.arrived.has(who.phone)) {
        await sleep(started.challenge.resendAt - Date.now())
        return signsIn(index)
      }
      if (!state.arrived.has(who.phone)) return false
      await sleep(10_000)
      const verified = await challenges.verify({ ...who, code: rightCode }).catch(() => undefined)
      return verified?.outcome === 'approved'
    }
    async function during(index: number): Promise<boolean> {
      await sleep(random(outageMs / 2))
      for (let tried = 0; tried < tries; tried += 1) {
        if (await signsIn(index)) return true
        await sleep(minute + random(3 * minute))
      }
      return false
    }
    async function after(index: number): Promise<boolean> {
      await sleep(random(5 * minute))
      return signsIn(index)
    }

    const all = Array.from({ length: people }, (_, index) => during(index))
    await vi.advanceTimersByTimeAsync(outageMs)
    state.isDown = false
    await vi.advanceTimersByTimeAsync(10 * minute)
    const earlier = await Promise.all(all)
    const later = Promise.all(earlier.map((isIn, index) => isIn || after(index)))
    await vi.advanceTimersByTimeAsync(6 * minute)
    const out = (await later).filter((isIn) => !isIn).length
    figure(22, `${out} of ${people} out ten minutes after half an hour of hanging ${what.join(' and ')}`)
    expect(out).toBeLessThanOrEqual(0.04 * people)
  },
)
