import { describe, expect, it } from 'vitest'
import { enough } from '../in-full.js'
import { figure } from '../prove/figure.js'
import { day, minute } from './kit.js'
import { ana, createService, rightCode } from './service.js'

const days = enough(10, { inFull: 30 })
const owner = { ...ana, purpose: 'login', knownBrowser: true }

/** Five accounts of an attacker carry the owner's number, and the attacker is known in each by an app. */
async function live(isToldApart: boolean, isTargeted: boolean) {
  const service = createService()
  const { challenges, provider } = service
  provider.send = () => ({ result: 'sent', lifetimeMs: 600_000, ...(isToldApart && { handle: 'own' }) })
  let turn = 0
  async function attack() {
    turn += 1
    const subject = `attacker-${turn % 5}`
    const who = { ...ana, subject, session: subject, knownBrowser: true, knownAtNumber: false }
    const started = await challenges.start({ ...who, purpose: 'login' })
    await challenges.verify({ ...who, code: `wrong${turn}` })
    return started.outcome
  }
  async function signIn() {
    const started = await challenges.start(owner)
    if (started.outcome === 'refused') return started.code
    if (isTargeted) for (let times = 0; times < 5; times += 1) await attack()
    const told = await challenges.verify({ ...owner, code: rightCode })
    return told.outcome === 'refused' ? told.code : told.outcome
  }
  const tries = { first: 0, second: 0, none: 0 }
  const refusals = new Set<string>()
  for (let lived = 0; lived < days; lived += 1) {
    for (let passed = 0; passed < day; passed += 5 * minute) {
      await attack()
      service.wait(5 * minute)
    }
    const first = await signIn()
    if (first !== 'approved') refusals.add(first)
    service.wait(2 * minute)
    const second = first === 'approved' ? first : await signIn()
    if (first === 'approved') tries.first += 1
    else if (second === 'approved') tries.second += 1
    else tries.none += 1
    service.wait(minute)
  }
  return { ...tries, refusals: [...refusals] }
}

describe(`five accounts of an attacker with the number of the owner, for ${days} days`, () => {
  it.each([
    ['tells codes apart', 'blind', true, false],
    ['tells codes apart', 'targeted', true, true],
    ['knows the number alone', 'blind', false, false],
    ['knows the number alone', 'targeted', false, true],
  ] as const)('where the provider %s, %s', async (provider, kind, isToldApart, isTargeted) => {
    const { first, second, none, refusals } = await live(isToldApart, isTargeted)
    figure(
      13,
      `${provider}, ${kind}: the owner in at the first try on ${first} days, second ${second}, not ${none}`,
    )
    // No send and no right code is refused, but one that another account's code overtook.
    expect(refusals.filter((code) => code !== 'challenge_gone')).toEqual([])
    if (isToldApart || !isTargeted) expect(first).toBe(days)
  })
})
