import { effectiveError, isJsonObject, memberOf, parseJson, scalarText } from './answers.js'
import { masked } from './masking.js'
import type { OperationName } from './operations.js'
import { ProviderError } from './provider-error.js'
import { resultOf, verifyAnswerOf } from './results.js'
import type { Answered, Lost } from './send.js'

/** What a whole answer to `form` resolves with; anything that is no success is thrown as a ProviderError. */
export function readAnswer(operation: OperationName, answered: Answered, form: string): object {
  const { httpStatus, text } = answered
  const answer = text === undefined ? undefined : parseJson(text)
  if (text !== undefined && isJsonObject(answer)) {
    if (operation === 'verifyCode') return verifyAnswerOf(httpStatus, text, answer)
    if (httpStatus === 200 && effectiveError(answer) === undefined) return resultOf(operation, answer)
  }
  if (httpStatus === 200 && operation === 'messageState' && Array.isArray(answer)) {
    return resultOf(operation, answer)
  }
  throw refusedError(operation, answered, answer, form)
}

function refusedError(
  operation: OperationName,
  { httpStatus, text }: Answered,
  answer: unknown,
  form: string,
): ProviderError {
  const object = isJsonObject(answer) ? answer : {}
  const error = scalarText(effectiveError(object))
  return new ProviderError({
    operation,
    delivery: 'answered',
    reason: refusedReason(text, answer),
    httpStatus,
    providerError: error === undefined ? undefined : masked(error, form),
    providerMessage: scalarText(memberOf(object, 'msg')),
    raw: answer ?? text,
  })
}

function refusedReason(text: string | undefined, answer: unknown): string {
  if (text === undefined) return 'the answer came in a content coding that was not asked for'
  return isJsonObject(answer) ? 'the provider refused' : 'the answer is no JSON object'
}

/** An exchange without a whole answer. */
export function lostError(operation: OperationName, { delivery, reason, httpStatus }: Lost): ProviderError {
  const before = delivery === 'not-sent' ? 'no connection' : 'the answer was lost'
  return new ProviderError({ operation, delivery, reason: `${before} (${reason})`, httpStatus })
}
