import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { figure } from '../../prove/figure.js'
import { type Attacker, attackers } from './attackers.js'
import { bugs } from './bugs.js'
import { type LedgerCommands, ledgerCommands } from './ledger-commands.js'
import { createOracle } from './oracle.js'
import { histories, historiesUnderBadClocks } from './random-histories.js'
import { createWorld, Violation } from './world.js'

// The same histories on every run; a longer run draws others.
const times = Number(process.env.MODEL_RUNS ?? 1)
const seed = Number(process.env.MODEL_SEED ?? 20_260_401)

/** Histories drawn at random, until one of them shows a violation: says which. */
function findAtRandom(commands: LedgerCommands, runs: number): string | undefined {
  const property = fc.property(histories(60), fc.boolean(), (steps, sameCode) => {
    const world = createWorld({ commands, oracle: createOracle(), sameCode })
    fc.modelRun(() => ({ model: {}, real: world }), steps)
    world.judge()
  })
  const run = fc.check(property, { seed, numRuns: runs, endOnFailure: true })
  if (!run.failed) return undefined
  if (!(run.errorInstance instanceof Violation)) throw run.errorInstance
  return run.errorInstance.message
}

/** Attackers by turns, until one of them gets what it should not. */
function findByAttack(commands: LedgerCommands, rounds: number): string | undefined {
  const cast: readonly (readonly [string, Attacker])[] = Object.entries(attackers)
  const random = fc.sample(fc.infiniteStream(fc.nat()), { seed, numRuns: 1 })[0]
  const pick = <Item>(...items: readonly [Item, ...Item[]]): Item =>
    items[(random?.next().value ?? 0) % items.length] ?? items[0]
  for (let round = 0; round < rounds * cast.length; round += 1) {
    const [name, attack] = cast[round % cast.length] ?? ['', () => {}]
    const world = createWorld({ commands, oracle: createOracle(), sameCode: pick(true, false) })
    try {
      attack(world, pick)
      world.judge()
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      return `${name}: ${error.message}`
    }
  }
  return undefined
}

describe('the pure ledger', () => {
  it('matches the oracle for any events in any order', () => {
    expect(findAtRandom(ledgerCommands, 2_500 * times)).toBeUndefined()
  })

  it('matches the oracle for attackers who continue for days', () => {
    expect(findByAttack(ledgerCommands, 40 * times)).toBeUndefined()
  })

  it('breaks no bound while its clock is set back and forth', () => {
    const property = fc.property(historiesUnderBadClocks(60), fc.boolean(), (steps, sameCode) => {
      const world = createWorld({ commands: ledgerCommands, sameCode })
      fc.modelRun(() => ({ model: {}, real: world }), steps)
      world.judge()
    })
    fc.assert(property, { seed, numRuns: 1_000 * times })
  })
})

describe('the search finds a ledger with', () => {
  let found = 0
  afterAll(() => figure(10, `${found} of ${Object.keys(bugs).length} seeded bugs found in histories`))

  it.each(Object.entries(bugs))('%s', (_name, bug) => {
    const commands = { ...ledgerCommands, ...bug(ledgerCommands) }
    expect(findAtRandom(commands, 400 * times) ?? findByAttack(commands, 20 * times)).toBeDefined()
    found += 1
  })
})
