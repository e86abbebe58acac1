import type { Details } from '../../challenge/code-provider.js'
import { hashId } from '../../challenge/keys.js'
import type { Warn } from '../host/warnings.js'
import type { GuardSettings } from './guard-options.js'

/** What one refusal asks for, and the language that it is described in. */
export interface Described {
  readonly subject: string
  readonly purpose: string
  /** Hash of the bound fields. */
  readonly bound?: string | undefined
  readonly locale: string
}

/**
 * Warns where a code that was shown for one thing would admit another: a grant fits wherever purpose and bound fields
 * are equal, whatever was shown. Only a warning, because a rate or a date may be shown and not be meant.
 */
export interface ShownChecks {
  /** Asked when a guard is made. */
  guard(settings: Pick<GuardSettings, 'purpose' | 'bind' | 'describe'>): void
  /** Asked at each refusal. */
  rows(described: Described, details: Details): void
}

/** Enough to meet the mistake while it is tried out. */
const maxRemembered = 100

export function createShownChecks(warn: Warn): ShownChecks {
  const describes = new Map<string, GuardSettings['describe']>()
  const remembered = new Map<string, ReadonlyMap<string, string>>()

  return {
    guard({ purpose, bind, describe }) {
      // What is not bound admits nothing that is.
      if (bind === undefined) return
      if (describes.has(purpose) && describes.get(purpose) !== describe) {
        warn('TWO_FACTOR_DESCRIBED_DIFFERENTLY', `purpose "${purpose}"`)
      }
      describes.set(purpose, describe)
    },

    rows({ subject, purpose, bound, locale }, { title = '', rows }) {
      const key = hashId(JSON.stringify([subject, purpose, bound, locale]))
      const shown = new Map(
        [['title', title] as const, ...rows].map(([label, value]) => [label, hashId(value)]),
      )
      const before = remembered.get(key) ?? shown
      remembered.delete(key)
      remembered.set(key, shown)
      const [oldest = key] = remembered.keys()
      if (remembered.size > maxRemembered) remembered.delete(oldest)
      const label = [...before.keys(), ...shown.keys()].find((one) => before.get(one) !== shown.get(one))
      if (label !== undefined) warn('TWO_FACTOR_ROWS_NOT_BOUND', `purpose "${purpose}", "${label}"`)
    },
  }
}
