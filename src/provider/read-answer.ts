import { effectiveError, isJsonObject, memberOf, parseJson, scalarString } from './answers.js'
import { reasonOf } from './failure.js'
import { masked } from './masking.js'
import type { OperationName } from './operations.js'
import { ProviderError } from './provider-error.js'
import { resultOf, verifyAnswerOf } from './results.js'
import type { Answered, Lost } from './send.js'
import { rememberForm } from './spoken.js'

/** The result in a whole answer to `form`. Throws a ProviderError for anything that is no success. */
export function readAnswer(operation: OperationName, answered: Answered, form: string): object {
  const { httpStatus, text } = answered
  const answer = text === undefined ? undefined : parseJson(text)
  if (text !== undefined && isJsonObject(answer)) {
    if (operation === 'verifyCode') {
      const verifyAnswer = verifyAnswerOf(httpStatus, text, answer)
      rememberForm(verifyAnswer, form)
      return verifyAnswer
    }
    if (httpStatus === 200 && effectiveError(answer) === undefined) return resultOf(operation, answer)
  }
  if (httpStatus === 200 && operation === 'messageState' && Array.isArray(answer)) {
    return resultOf(operation, answer)
  }
  throw refusedError(operation, answered, answer, form)
}

function refusedError(
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
