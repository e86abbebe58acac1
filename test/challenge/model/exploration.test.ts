import { afterAll, describe, expect, it, vi } from 'vitest'
import { figure } from '../../prove/figure.js'
import { bugs } from './bugs.js'
import { type Explored, explore, exploreByLevel } from './exploration.js'
import { ledgerCommands } from './ledger-commands.js'
import { topics } from './small-world.js'

// A search is all CPU time: on a busy machine it takes many times as long.
vi.setConfig({ testTimeout: 300_000 })

/** `EXPLORE_DEEPER=1` goes one step further in every topic: minutes in place of seconds. */
const deeper = Number(process.env.EXPLORE_DEEPER ?? 0)

describe('the pure ledger, with small limits, in every order of', () => {
  const table: Record<string, Omit<Explored, 'violation'>> = {}
  afterAll(() => {
    console.table(table)
    const states = Object.values(table).reduce((sum, explored) => sum + explored.states, 0)
    figure(10, `${states.toLocaleString('en')} states in every order of few steps`)
  })

  it.each(Object.entries(topics))('%s', (name, topic) => {
    const { violation, ...explored } = explore(ledgerCommands, { ...topic, depth: topic.depth + deeper })
    table[name] = explored
    expect(violation).toBeUndefined()
  })
})

describe('every order of few steps shows a ledger with', () => {
  const table: Record<string, { steps: number; history: string; violation: string }> = {}
  afterAll(() => {
    console.table(table)
    figure(10, `${Object.keys(table).length} of ${Object.keys(bugs).length} seeded bugs found in them`)
  })

  it.each(Object.entries(bugs))('%s', (name, bug) => {
    const commands = { ...ledgerCommands, ...bug(ledgerCommands) }
    const found = shortest(commands)
    expect(found).toBeDefined()
    if (found === undefined) return
    table[name] = {
      steps: found.history.length,
      history: found.history.join(' > '),
      violation: found.message,
    }
  })
})

/** The shortest history that any topic shows: all of them to a depth, before one of them goes deeper. */
function shortest(commands: typeof ledgerCommands): Explored['violation'] {
  const searches = new Set(Object.values(topics).map((topic) => exploreByLevel(commands, topic)))
  while (searches.size > 0) {
    for (const search of searches) {
      const { done, value } = search.next()
      if (done) searches.delete(search)
      else if (value.violation !== undefined) return value.violation
    }
  }
  return undefined
}
