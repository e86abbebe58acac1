import type { OperationName } from '../../../provider/operations.js'
import type { Account } from '../account.js'
import type { Catalogue } from './dialect.js'
import { type ParametersOf, readParameters } from './parameters.js'
import { isRefusal, type Outcome, type Refusal, refuse } from './refusals.js'
import type { Responder, ServiceResponse } from './responder.js'

/** What each operation does once its caller is authenticated and its parameters are read. */
export type Handlers = {
  readonly [Name in OperationName]: (parameters: ParametersOf<Name>, requestId: string) => Outcome
}

/** A request to an operation, free of HTTP. */
export interface ServiceCall {
  readonly fields: URLSearchParams
  readonly address: string
  readonly requestId: string
  /** Why the body could not be read. */
  readonly bodyProblem?: string | undefined
}

/** The whole service: one call in, one complete answer out. */
export function createService(
  catalogue: Catalogue,
  account: Account,
  responder: Responder,
  handlers: Handlers,
): (name: OperationName, call: ServiceCall) => ServiceResponse {
  function authenticate({ fields, address, bodyProblem }: ServiceCall): Refusal | undefined {
    if (!account.allows(address)) return refuse('address', 'The calling address is not allowed.')
    // The provider would only say that the key is wrong: it sees no parameters in such a body.
    if (bodyProblem !== undefined) return refuse('parameters', bodyProblem)
    if (!account.knows(fields.get('client'), fields.get('key'))) {
      return refuse('credentials', 'client or key is wrong.')
    }
    return undefined
  }

  function perform<Name extends OperationName>(name: Name, call: ServiceCall): Outcome {
    const parameters = readParameters<Name>(catalogue[name], call.fields)
    return isRefusal(parameters) ? parameters : handlers[name](parameters, call.requestId)
  }

  return (name, call) => {
    const outcome = authenticate(call) ?? perform(name, call)
    return isRefusal(outcome) ? responder.refusal(outcome) : responder.success(name, outcome)
  }
}
