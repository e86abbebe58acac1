import type { Channel, Details } from '../../challenge/code-provider.js'
import type { ChallengeView } from '../../challenge/commands.js'
import type { ProblemCode } from '../../errors.js'

/** Everything a page shows, decided before it is rendered. */
export interface PageView {
  /**
   * `code`: type the code. `phone`: type the number to be proven. `start`: nothing is live yet, a
   * button sends the first code. `problem`: only the explanation (not identified, cross-site, ...).
   */
  readonly page: 'code' | 'phone' | 'start' | 'problem'
  /** Where the routes are mounted, without a trailing slash: forms post to `${basePath}/verify`. */
  readonly basePath: string
  readonly challenge?: ChallengeView | undefined
  /** What the code confirms, from the option `describe` of the guard. Hostile: escape it. */
  readonly details?: Details | undefined
  /** Which methods the guard takes, when not all of them do. */
  readonly methods?: readonly string[] | undefined
  /** What went wrong with the last form. */
  readonly problem?: PageProblem | undefined
  /** Posted back by every form. */
  readonly requirement?: string | undefined
  readonly returnTo?: string | undefined
  readonly purpose?: string | undefined
  /** The requirement that came along is worth nothing any more: only `returnTo` leads to a new one. */
  readonly spent?: boolean
  /** How a first code may travel, the preferred way first. */
  readonly channels: readonly Channel[]
  /** Attempts of a fresh challenge: how many are left is said from the second wrong code on. */
  readonly attemptsPerChallenge: number
  /** Whether the person may ask to trust this device. */
  readonly offerTrust: boolean
  /** Whether codes may hold letters. */
  readonly lettersInCode: boolean
  /** Whether the number may be changed: at signup alone. */
  readonly changeableNumber: boolean
  /** What was typed into the number field. */
  readonly typedPhone?: string | undefined
  readonly typedCountry?: string | undefined
  /** ISO 3166 codes to choose from at signup. */
  readonly countries: readonly string[]
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface PageProblem {
  readonly code: ProblemCode
  readonly attemptsRemaining?: number | undefined
  readonly retryAfterMs?: number | undefined
}
