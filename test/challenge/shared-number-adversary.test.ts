import { describe, expect, it } from 'vitest'
import { enough } from '../in-full.js'
import { figure } from '../prove/figure.js'
import { day, hour, minute } from './kit.js'
import { createSiege, type Kind } from './shared-number.js'

const days = enough(4, { inFull: 30 })

type Siege = ReturnType<typeof createSiege>

/** One day. The owner signs in at another hour each day, and once more if that fails. */
async function liveOneDay(siege: Siege, lived: number): Promise<readonly string[]> {
  const atMs = ((lived * 7) % 24) * hour
  await siege.renew()
  await siege.pass(atMs)
  const tries = [await siege.signIn()]
  siege.service.wait(2 * minute)
  if (tries[0] !== 'approved') tries.push(await siege.signIn())
  siege.service.wait(minute)
  await siege.signInOthers()
  await siege.pass(day - atMs)
  return tries
}

/** Counts the days on which the owner signed in at the first try, at the second, and not at all. */
function count(tries: readonly (readonly string[])[]) {
  const at = (wanted: number) => tries.filter((one) => one.indexOf('approved') === wanted).length
  const refusals = new Set(tries.flat().filter((code) => code !== 'approved'))
  return { first: at(0), second: at(1), none: at(-1), refusals }
}

const inWords = ({ first, second, none }: ReturnType<typeof count>) =>
  `the owner in at the first try on ${first} days, at the second on ${second}, not on ${none}`

const usedBy = ({ sendsInHour, sendsInDay, wrongInDay }: ReturnType<Siege['figures']>) =>
  `the attacker used ${sendsInHour} codes in an hour, ${sendsInDay} and ${wrongInDay} wrong ones in a day`

const refusedIn = ({ refusedOthers }: ReturnType<Siege['figures']>) =>
  [...refusedOthers].map(([name, refused]) => `${name}, on ${refused} days`).join('; ')

describe(`five accounts of an attacker with the number of the owner, for ${days} days`, () => {
  it.each<[string, Kind, boolean]>([
    ['tells codes apart', 'blind', true],
    ['tells codes apart', 'targeted', true],
    ['knows the number alone', 'blind', false],
    ['knows the number alone', 'targeted', false],
  ])('where the provider %s, %s', async (provider, kind, isToldApart) => {
    const siege = createSiege({ isToldApart, kind })
    await siege.settle()
    const tries: (readonly string[])[] = []
    for (let lived = 0; lived < days; lived += 1) tries.push(await liveOneDay(siege, lived))
    const counted = count(tries)
    const figures = siege.figures()
    figure(
      13,
      `${provider}, ${kind}: ${inWords(counted)}; ${usedBy(figures)}; refused: ${refusedIn(figures)}`,
    )
    // No send and no right code is refused, but one that another account's code overtook.
    expect([...counted.refusals].filter((code) => code !== 'challenge_gone')).toEqual([])
    if (isToldApart || kind === 'blind') expect(counted.first).toBe(days)
    // Two windows may meet within a day.
    expect(figures.sendsInHour).toBeLessThanOrEqual(2 * 12)
    expect(figures.sendsInDay).toBeLessThanOrEqual(2 * 30)
    expect(figures.wrongInDay).toBeLessThanOrEqual(2 * 60)
    const [partner, daughter, neighbour] = figures.refusedOthers.values()
    expect([partner, neighbour]).toEqual([0, 0])
    // A browser that is not known at the number has the share of the attacker.
    expect(daughter).toBeGreaterThan(0)
  })
})

describe('an attacker who once held the phone', () => {
  /** Lives these days, and skips those before each of them that are not listed. */
  async function live(
    list: readonly number[],
    happens: (siege: Siege, lived: number) => Promise<void> | void,
  ) {
    const siege = createSiege({ isToldApart: true, kind: 'blind', heldThePhone: true, stepMs: 15 * minute })
    await siege.settle()
    const tries = new Map<number, readonly string[]>()
    for (const [index, lived] of list.entries()) {
      siege.service.wait((lived - 1 - (list[index - 1] ?? lived - 1)) * day)
      await happens(siege, lived)
      tries.set(lived, await liveOneDay(siege, lived))
    }
    const between = (first: number, end: number) =>
      count([...tries].flatMap(([lived, one]) => (lived >= first && lived < end ? [one] : [])))
    return { between, figures: siege.figures() }
  }
  const daysFrom = (first: number, end: number) =>
    Array.from({ length: end - first }, (_, index) => first + index)

  it('has the limits of the number for 90 days, and afterwards keeps the owner out on none', async () => {
    const many = enough(5, { inFull: 85 })
    const { between, figures } = await live([...daysFrom(0, many), ...daysFrom(85, 100)], () => undefined)
    const [before, after] = [between(0, 90), between(91, 100)]
    figure(
      13,
      `once held the phone, of ${many + 5} of the first 90 days: ${inWords(before)}; of 9 later ones: ${inWords(after)}; ${usedBy(figures)}`,
    )
    expect(before.none).toBeGreaterThan(0)
    expect(after).toMatchObject({ first: 9, none: 0 })
  })

  it('has the share of unknown browsers from a revocation of those accounts on', async () => {
    const { between } = await live(daysFrom(0, 10), (siege, lived) =>
      lived === 5 ? siege.revoke() : undefined,
    )
    expect(between(0, 5).none).toBeGreaterThan(0)
    // A day later, as the limits of the day before are used up.
    expect(between(6, 10)).toMatchObject({ first: 4, none: 0 })
  })
})
