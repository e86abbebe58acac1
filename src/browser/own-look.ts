import type { OnChallenge } from './code-request.js'
import type { StepUp } from './step-up.js'

/** Dispatched on `document` as `two-factor-challenge` before a code is required. */
export interface ChallengeEvent extends CustomEvent {
  /** The refusal, and a function to replace the dialog. */
  readonly detail: StepUp & {
    /** Replaces the dialog for this request. */
    respondWith(onChallenge: OnChallenge): void
  }
}

/** Returns the dialog of the app, if a listener replaced ours. */
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
