import { describe, expect, it } from 'vitest'
import type { SignupGuardRules } from '../../../src/challenge/rate-limits/signup-guard.js'
import { enough } from '../../in-full.js'
import { figure } from '../../prove/figure.js'
import { hour, minute } from '../kit.js'
import { createService, rightCode, visitor } from '../service.js'

interface Days {
  /** From which somebody has codes sent to numbers that he never proves, as often as he may. */
  readonly addresses: number
  readonly hours: number
  /** Sign-ups of others, seven of ten of which are completed. */
  readonly honestPerHour: number
  /** Whether the provider refuses the numbers of the attacker. */
  readonly refused?: boolean
  readonly mode?: SignupGuardRules['mode']
}

async function live({ addresses, hours, honestPerHour, refused = false, mode = 'observe' }: Days) {
  const service = createService({ signupGuard: { mode } })
  const { challenges, provider } = service
  const isAttackers = () => provider.sends.at(-1)?.destination.startsWith('+57300') ?? false
  provider.send = () => ({ result: refused && isAttackers() ? 'failed' : 'sent' })
  let people = 0
  let attackers = 0
  const tally = { honest: 0, honestRefused: 0, 'sends of the attacker': 0 }

  async function attack(): Promise<void> {
    for (let index = 0; index < addresses; ) {
      attackers += 1
      const before = provider.sends.length
      const next = { ...visitor(attackers), address: `203.0.113.${index}` }
      await challenges.start(next).catch(() => undefined)
      if (provider.sends.length === before) index += 1
      else tally['sends of the attacker'] += 1
    }
  }
  async function signUp(): Promise<void> {
    people += 1
    const phone = `+57310${1_000_000 + people}`
    const person = { ...visitor(500_000 + people), phone, address: `198.51.${people >> 8}.${people & 255}` }
    tally.honest += 1
    const { outcome } = await challenges.start(person)
    if (outcome !== 'started') tally.honestRefused += 1
    else if (people % 10 < 7) await challenges.verify({ ...person, code: rightCode })
  }

  for (let passed = 0; passed < hours * hour; passed += 2 * minute) {
    // As soon as the window of an address has ended, it is used up anew.
    if (passed % (10 * minute) === 0) await attack()
    if (passed % (hour / honestPerHour) < 2 * minute) await signUp()
    service.wait(2 * minute)
  }
  return tally
}

describe('somebody who proves none of his numbers', () => {
  it.each([false, true])(
    'blocks no sign-ups for others from two addresses (refused numbers: %s)',
    async (refused) => {
      const told = await live({ addresses: 2, hours: 24, honestPerHour: 2, refused })
      const what = `two addresses${refused ? ' with refused numbers' : ''}, a day`
      figure(23, `${what}: ${told.honestRefused} of ${told.honest} sign-ups of others refused`)
      expect(told).toEqual({ honest: 48, honestRefused: 0, 'sends of the attacker': 300 })
    },
  )

  it.each([
    ['hour', 1, 4, 5],
    ['day', 24, 19, 20],
  ])(
    'closes the %s of all sign-ups (%i h) with more than %i addresses',
    async (window, hours, few, enough) => {
      const open = await live({ addresses: few, hours, honestPerHour: 1 })
      const closed = await live({ addresses: enough, hours, honestPerHour: 30 / hours })
      figure(23, `the ${window} of all sign-ups is closed by ${enough} addresses, and not by ${few}`)
      expect(open.honestRefused).toBe(0)
      expect(closed.honestRefused).toBeGreaterThan(0)
    },
  )

  it.each([
    [1, 48, 6],
    [2, enough(18, { inFull: 48 }), 30],
  ])(
    'closes no country to networks that have wasted nothing from %i addresses in %i hours: 0 of %i sign-ups an hour',
    async (addresses, hours, honestPerHour) => {
      const told = await live({ addresses, hours, honestPerHour, mode: 'enforce' })
      figure(25, `${addresses} addresses against a country: ${told.honestRefused} of ${told.honest} refused`)
      expect(told).toMatchObject({ honest: hours * honestPerHour, honestRefused: 0 })
    },
  )
})
