import { effectiveError, isJsonObject, type JsonObject, memberOf, scalarString } from './answers.js'
import { reasonOf } from './failure.js'
import { mask, masked } from './masking.js'
import type { OperationName } from './operations.js'
import { ProviderError } from './provider-error.js'
import type { Answered, Lost } from './send.js'
import type { VerifyAnswer } from './verdict.js'

/** The error of an answer that is no success. */
export function refusedError(
  operation: OperationName,
  { httpStatus, headers, text }: Answered,
  answer: unknown,
  form: string,
): ProviderError {
  const object = isJsonObject(answer) ? answer : {}
  const error = scalarString(effectiveError(object))
  return new ProviderError({
    operation,
    delivery: 'answered',
    reason: 'answer',
    description: describeRefused(text, answer),
    httpStatus,
    headers,
    providerError: error === undefined ? undefined : masked(error, form),
    providerMessage: scalarString(memberOf(object, 'msg')),
    raw: answer ?? text,
  })
}

function describeRefused(text: string | undefined, answer: unknown): string {
  if (text === undefined) return 'the answer has a content coding that was not requested'
  return isJsonObject(answer) ? 'the provider refused' : 'the answer is not a JSON object'
}

/** The error of an exchange without a whole answer. */
export function lostError(operation: OperationName, { delivery, cause, httpStatus }: Lost): ProviderError {
  const before = delivery === 'not-sent' ? 'no connection' : 'the answer was lost'
  return new ProviderError({
    operation,
    delivery,
    reason: reasonOf(cause),
    description: `${before} (${cause})`,
    httpStatus,
  })
}

/**
 * Under this an answer to a code quotes itself for events. What was sent, and the account key with it, is known
 * to a closure only: nothing that prints or copies the answer shows it.
 */
const quote = Symbol('quote')

interface Quoted {
  readonly status?: string | undefined
  readonly error?: string | undefined
}

/** Lets an answer to a code quote itself. */
export function quotable(answer: JsonObject, form: string): JsonObject {
  return Object.defineProperty(answer, quote, {
    value: (): Quoted => ({
      status: readable(memberOf(answer, 'status'), form),
      error: readable(effectiveError(answer), form),
    }),
  })
}

/** The `status` and the `error` of an answer to a code, fit for an event. */
export function spokenIn(answer: VerifyAnswer & { readonly [quote]?: () => Quoted }): Quoted {
  // Of an answer that the client did not make, nobody can say what in it is secret.
  return answer[quote]?.() ?? {}
}

function readable(value: unknown, form: string): string | undefined {
  const text = scalarString(value)
  if (text === undefined) return undefined
  const safe = masked(text, form)
  // An error number has up to five digits and stands alone. Within words, digits may be the right code.
  return /^\d{1,5}$/.test(safe) ? safe : safe.replaceAll(/\d{4,}/g, mask)
}
