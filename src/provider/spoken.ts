import { effectiveError, memberOf, scalarString } from './answers.js'
import { mask, masked } from './masking.js'
import type { VerifyAnswer } from './verdict.js'

/** What each answer was an answer to: that holds the key, so no answer carries it itself. */
const forms = new WeakMap<object, string>()

/** Remembers what was sent for as long as its answer lives, so that it can be masked in that answer. */
export function rememberForm(answer: object, form: string): void {
  forms.set(answer, form)
}

/** The `status` and the `error` of an answer to a code, fit for an event. */
export function spokenIn(answer: VerifyAnswer): { readonly status?: string; readonly error?: string } {
  const form = forms.get(answer)
  // Of an answer that the client did not make, nobody can say what in it is secret.
  if (form === undefined) return {}
  const status = readable(memberOf(answer, 'status'), form)
  const error = readable(effectiveError(answer), form)
  return { ...(status !== undefined && { status }), ...(error !== undefined && { error }) }
}

function readable(value: unknown, form: string): string | undefined {
  const text = scalarString(value)
  if (text === undefined) return undefined
  const safe = masked(text, form)
  // An error number has up to five digits and stands alone. Within words, digits may be the right code.
  return /^\d{1,5}$/.test(safe) ? safe : safe.replaceAll(/\d{4,}/g, mask)
}
