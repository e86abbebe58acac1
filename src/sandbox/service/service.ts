import type { OperationName } from '../../provider/operations.js'
import type { Account } from '../account.js'
import type { Answer, Answers } from './answers.js'
import type { Offer } from './dialect.js'
import { type ParametersOf, readParameters } from './parameters.js'
import { isRefusal, type Outcome, type Refusal, refuse } from './refusals.js'

/** What each operation does once its caller is known and its parameters are read. */
export type Handlers = {
  readonly [Name in OperationName]: (parameters: ParametersOf<Name>, requestId: string) => Outcome
}

/** A request to an operation, free of HTTP. */
export interface ServiceCall {
  readonly fields: URLSearchParams
  readonly address: string
  readonly requestId: string
}

/** The whole service: one call in, one complete answer out. */
export function createService(
  offer: Offer,
  account: Account,
  answers: Answers,
  handlers: Handlers,
): (name: OperationName, call: ServiceCall) => Answer {
  function turnAway({ fields, address }: ServiceCall): Refusal | undefined {
    if (!account.allows(address)) return refuse('address', 'The calling address is not allowed.')
    if (!account.knows(fields.get('client'), fields.get('key'))) {
      return refuse('credentials', 'client or key is wrong.')
    }
    return undefined
  }

  function perform<Name extends OperationName>(name: Name, call: ServiceCall): Outcome {
    const parameters = readParameters<Name>(offer[name], call.fields)
    return isRefusal(parameters) ? parameters : handlers[name](parameters, call.requestId)
  }

  return (name, call) => {
    const outcome = turnAway(call) ?? perform(name, call)
    return isRefusal(outcome) ? answers.refusal(outcome) : { status: 200, body: outcome.body }
  }
}
