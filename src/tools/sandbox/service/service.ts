import type { OperationName } from '../../../provider/operations.js'
import type { Account } from '../account.js'
import type { Catalogue } from './dialect.js'
import { type ParametersOf, readParameters } from './parameters.js'
import { isRefusal, type Outcome, type Refusal, refuse } from './refusals.js'
import type { Responder, ServiceResponse } from './responder.js'

/** The handler of each operation, after authentication and the check of parameters. */
export type Handlers = {
  readonly [Name in OperationName]: (parameters: ParametersOf<Name>, requestId: string) => Outcome
}

/** A request to an operation, without HTTP. */
export interface ServiceCall {
  readonly fields: URLSearchParams
  readonly address: string
  readonly requestId: string
  /** Reason why the body is unreadable. */
  readonly bodyProblem?: string | undefined
}

/** Creates the service, which returns one complete response per call. */
export function createService(
  catalogue: Catalogue,
  account: Account,
  responder: Responder,
  handlers: Handlers,
): (name: OperationName, call: ServiceCall) => ServiceResponse {
  function authenticate({ fields, address, bodyProblem }: ServiceCall): Refusal | undefined {
    if (!account.allows(address)) return refuse('address', 'The calling address is not allowed.')
    // The provider would only report a wrong key, because it reads no parameters from such a body.
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
