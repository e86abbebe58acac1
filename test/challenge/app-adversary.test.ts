import { describe, expect, it } from 'vitest'
import { codeOf } from '../../src/lib/totp.js'
import { enough } from '../in-full.js'
import { figure } from '../prove/figure.js'
import { day, hour, minute, mostWithin } from './kit.js'
import { ana, createService } from './service.js'

const secret = Buffer.from('12345678901234567890')
const office = '+573007654321'
const stepMs = 5 * minute

/** His bounds are reached within the first week. */
const days = enough(10, { inFull: 30 })

/** Ana has two numbers and an app. */
function createHouse() {
  const service = createService({ haveApps: true })
  const { challenges, events, now } = service
  const known = {
    ...ana,
    numbers: [{ phone: ana.phone }, { phone: office }],
    secret,
    session: 'laptop',
    address: '198.51.100.7',
    knownBrowser: true,
  }
  const wrongAt: number[] = []
  let turn = 0
  service.provider.check = (code) => (code === 'right' ? 'approved' : 'rejected')

  /** Signs in anew and asks for a code by either way, to and fro, then types codes, some at once, as long as one is judged. */
  async function attack(): Promise<void> {
    turn += 1
    const numbers = [ana.phone, office].map((phone) => ({ phone }))
    const who = {
      ...ana,
      secret,
      numbers: turn % 8 < 4 ? numbers : numbers.toReversed(),
      session: `s-${turn}`,
      address: `203.0.${turn % 250}.9`,
      knownBrowser: false,
    }
    const channel = (['app', 'sms', 'app', 'call'] as const)[turn % 4] ?? 'app'
    const judged = () => events.filter((event) => event.type === 'challenge.rejected' && !event.used).length
    for (let before = -1, by = channel; before < judged(); by = by === channel ? 'app' : channel) {
      before = judged()
      const told = await challenges.start({ ...who, purpose: 'login', channel: by })
      if (told.outcome === 'refused') break
      const displayed = { challenge: told.challenge.id }
      const codes = ['a', 'b', 'c'].map((letter) => `${letter}${wrongAt.length + before}`)
      await Promise.all(codes.map((code) => challenges.verify({ ...who, code, displayed })))
    }
    wrongAt.push(...Array(judged()).fill(now()))
  }

  return {
    ...service,
    wrongAt,
    async pass(ms: number): Promise<boolean> {
      let isDisabled = false
      for (let passed = 0; passed < ms; passed += stepMs) {
        events.length = 0
        await attack()
        isDisabled ||= events.some(({ type }) => type === 'subject.disabled')
        service.wait(stepMs)
      }
      return isDisabled
    },
    /** One try of the owner in the known browser. */
    async signIn(channel: 'app' | 'sms'): Promise<string> {
      const told = await challenges.start({ ...known, purpose: 'login', channel })
      if (told.outcome === 'refused') return told.code
      const code = channel === 'sms' ? 'right' : codeOf(Math.floor(now() / 30_000), secret)
      const displayed = { challenge: told.challenge.id }
      return (await challenges.verify({ ...known, code, displayed })).outcome
    },
  }
}

describe('an adversary who has the password of somebody with two numbers and an app', () => {
  it(`judges no more codes by all together in ${days} days than one number allows`, async () => {
    const house = createHouse()
    let disabledAfter = 0
    for (let lived = 0; lived < days; lived += 1) {
      if ((await house.pass(day)) && disabledAfter === 0) disabledAfter = lived + 1
    }
    const inHour = mostWithin(hour, house.wrongAt)
    const inDay = mostWithin(day, house.wrongAt)
    expect(inHour).toBeLessThanOrEqual(15)
    expect(inDay).toBeLessThanOrEqual(30)
    // Strangers have their share of the hundred, then the account is disabled.
    expect(house.wrongAt.length).toBeLessThanOrEqual(60)
    expect(disabledAfter).toBeGreaterThan(0)
    figure(
      5,
      `two numbers and an app of one account: ${inHour} checks an hour, ${inDay} a day, ${house.wrongAt.length} until disabled`,
    )
    const disabled = { disabled: true, known: { disabled: false } }
    expect(await house.challenges.subjects.state('ana')).toMatchObject(disabled)
    await house.challenges.subjects.unlock('ana')
    expect(await house.challenges.subjects.state('ana')).toMatchObject({ disabled: false, judged: 0 })
  })

  it(`keeps the owner out of no known browser, by app or by text, on any of ${days} days`, async () => {
    const house = createHouse()
    for (let lived = 0; lived < days; lived += 1) {
      await house.pass(day)
      expect([lived, await house.signIn(lived % 2 === 0 ? 'app' : 'sms')]).toEqual([lived, 'approved'])
    }
    const inHour = mostWithin(hour, house.wrongAt)
    const inDay = mostWithin(day, house.wrongAt)
    expect(inHour).toBeLessThanOrEqual(15)
    expect(inDay).toBeLessThanOrEqual(30)
    figure(
      13,
      `two numbers and an app: the owner in at once on ${days} of ${days} days, the attacker ${inHour} checks an hour, ${inDay} a day`,
    )
  })
})
