import { hash } from 'node:crypto'
import { browserLimits } from '../kit.js'
import type { LedgerCommands } from './ledger-commands.js'
import { createOracle } from './oracle.js'
import { actions, type Topic } from './small-world.js'
import { createWorld, Violation, type World } from './world.js'

const day = 24 * 60 * 60_000

export interface Explored {
  /** Different states that were reached. */
  readonly states: number
  /** Steps that were tried. */
  readonly steps: number
  /** How many steps from the beginning every history was followed. */
  readonly depth: number
  /** The shortest history that shows a violation. */
  readonly violation?: { readonly history: readonly string[]; readonly message: string }
}

/** Breadth first through everything that can happen by the actions of a topic, each state once. */
export function explore(commands: LedgerCommands, { depth: deepest, by, figures }: Topic): Explored {
  const limits = { ...browserLimits, ...figures, attemptsPerChallenge: figures.attempts }
  const worldAfter = (history: readonly string[]): World => {
    const world = createWorld({ commands, oracle: createOracle(figures), limits })
    for (const name of history) actions[name]?.(world)
    return world
  }
  const reached = new Set<string>()
  let frontier: (readonly string[])[] = [[]]
  let steps = 0
  for (let depth = 1; depth <= deepest; depth += 1) {
    const next: (readonly string[])[] = []
    for (const history of frontier) {
      for (const name of by) {
        steps += 1
        const longer = [...history, name]
        try {
          const world = worldAfter(longer)
          world.judge()
          const state = fingerprint(world.state, world.clock)
          if (reached.has(state)) continue
          reached.add(state)
          next.push(longer)
        } catch (error) {
          if (!(error instanceof Violation)) throw error
          const violation = { history: longer, message: error.message }
          return { states: reached.size, steps, depth, violation }
        }
      }
    }
    frontier = next
  }
  return { states: reached.size, steps, depth: deepest }
}

/** A state as a hash: moments as distances from the clock, ids by the order in which they appear. */
function fingerprint(state: unknown, clock: number): string {
  const names = new Map<string, number>()
  const objects = new Map<object, number>()
  const isMoment = (value: number) => Math.abs(value - clock) < 5 * day
  const numbered = <Key>(known: Map<Key, number>, key: Key) => {
    const number = known.get(key) ?? known.size
    known.set(key, number)
    return number
  }
  const walk = (value: unknown): string => {
    if (typeof value === 'number') return isMoment(value) ? `@${Math.max(-day, value - clock)}` : `${value}`
    if (typeof value === 'string') return / \d+$/.test(value) ? `#${numbered(names, value)}` : value
    if (typeof value !== 'object' || value === null) return String(value)
    const isNew = !objects.has(value)
    const number = numbered(objects, value)
    if (!isNew) return `&${number}`
    if (Array.isArray(value)) return `[${value.map(walk).join()}]`
    if (value instanceof Set || value instanceof Map) return `{${[...value].map(walk).join()}}`
    return `(${Object.entries(value).map(([key, member]) => `${key}:${walk(member)}`)})`
  }
  return hash('sha1', walk(state), 'base64')
}
