import { afterAll, describe, expect, it, vi } from 'vitest'
import { enough } from '../../in-full.js'
import { figure } from '../../prove/figure.js'
import { bugs } from './bugs.js'
import { type Explored, explore } from './exploration.js'
import { ledgerCommands } from './ledger-commands.js'
import { type Topic, topics } from './small-world.js'

// A search is all CPU time: on a busy machine it takes many times as long.
vi.setConfig({ testTimeout: 300_000 })

/** `EXPLORE_DEEPER=1` goes one step further in every topic: minutes in place of seconds. */
const deeper = Number(process.env.EXPLORE_DEEPER ?? 0)
/** The seventh step is five times as many histories; what a bug needs it for, attackers find in ledger-model.test.ts. */
const deepest = enough(6, { inFull: 7 })

describe('the pure ledger, with small limits, in every order of', () => {
  const table: Record<string, Omit<Explored, 'violation'>> = {}
  afterAll(() => {
    console.table(table)
    const states = Object.values(table).reduce((sum, explored) => sum + explored.states, 0)
    figure(10, `${states.toLocaleString('en')} states in every order of few steps`)
  })

  it.each(Object.entries(topics))('%s', (name, topic) => {
    const depth = Math.min(topic.depth, deepest) + deeper
    const { violation, ...explored } = explore(ledgerCommands, { ...topic, depth })
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
    const [topic = 'everything'] = Object.entries(shownBy).find(([, names]) => names.includes(name)) ?? []
    const { violation: found } = explore(commands, topics[topic] as Topic)
    expect(found).toBeDefined()
    if (found === undefined) return
    table[name] = {
      steps: found.history.length,
      history: found.history.join(' > '),
      violation: found.message,
    }
  })
})

/** The topic in which a bug shows after the fewest steps, where that is not everything at once. */
const shownBy: Readonly<Record<string, readonly string[]>> = {
  'the same codes': [
    'reset on resend',
    'no used-code memory',
    'refill on restart',
    'a used code costs nothing',
    'a lease that never lapses',
    'a wrong code remembered past a resend',
    'a wrong code remembered that was typed before the resend',
  ],
  'answers to a code': ['no compare on settle', 'per-session budget only', 'cancel ends the attempts, too'],
  locks: [
    'lock unchecked in settle',
    'lock not set by the attempt that fails',
    'a lock is lengthened by trying',
    'every lock is as long as the first',
    'success leaves the failures',
    'the lock of strangers for known browsers, too',
    'success forgives one budget only',
    'the absolute caps counted in each budget',
  ],
  'two budgets': [
    'sliding lifetime',
    'a failure counted in the other budget',
    'codes of strangers checked while a known challenge is live',
    'what strangers guessed is forgotten while a known challenge lives',
    'a known browser inherits the attempts of strangers',
    'success of the owner gives a thief of the cookie another hour',
    'guesses for known browsers on top of those for strangers',
  ],
  lifetimes: ['resend starts the deadline anew'],
  hours: [
    'a code is sent that nobody may type',
    'a day has no guesses of its own',
    'success of the owner gives strangers another hour',
  ],
  'two budgets at once': ['a known start refills strangers', 'one lease for both budgets'],
  'locks of both': ['an operator enables one budget only'],
  sends: ['a refused send counted by the hour'],
}
