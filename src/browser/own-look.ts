import type { OnChallenge } from './code-request.js'
import type { StepUp } from './step-up.js'

/** Dispatched on `document` as `two-factor-challenge` before a code is asked for. */
export interface ChallengeEvent extends CustomEvent {
  /** What is asked for, and a way to take it over. */
  readonly detail: StepUp & {
    /** Replaces the dialog for this request. */
    respondWith(onChallenge: OnChallenge): void
  }
}

/** The look that a listener of the app puts in place of the dialog. */
export function ownLook(stepUp: StepUp): OnChallenge | undefined {
  let given: OnChallenge | undefined
  const respondWith = (onChallenge: OnChallenge) => {
    given = onChallenge
  }
  document.dispatchEvent(new CustomEvent('two-factor-challenge', { detail: { ...stepUp, respondWith } }))
  return given
}

declare global {
  interface DocumentEventMap {
    'two-factor-challenge': ChallengeEvent
  }
}
