import type { Agent } from './agent.js'
import type { RehearsalPerson } from './contract.js'

/** A person in a browser. */
export interface Visit {
  readonly agent: Agent
  readonly person: RehearsalPerson
}

/** A visit after a code was sent to the person. */
export interface Challenged extends Visit {
  readonly challenge: string
  readonly code: string
}
