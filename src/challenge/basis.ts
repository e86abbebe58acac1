import type { Emit } from '../events.js'
import type { Background } from '../lib/promises.js'
import type { Store } from '../store/store.js'
import type { Keys, Secrets } from './keys.js'

/** What every part of the domain stands on, whatever it needs besides. */
export interface Basis {
  /** Behind its deadline. */
  readonly store: Store
  readonly keys: Keys
  readonly secrets: Secrets
  readonly background: Background
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly emit: Emit
}
