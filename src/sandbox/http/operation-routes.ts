import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import type { OperationName } from '../../provider/operations.js'
import { withCompletePhones } from '../numbering.js'
import type { ProviderSimulation } from '../provider-simulation.js'
import type { Dialect } from '../service/dialect.js'
import type { ServiceResponse } from '../service/responder.js'
import { applyFault, isPerformedFirst, writeResponse } from './apply-fault.js'
import { bodyFields, queryOf } from './read-fields.js'

const notPerformed: ServiceResponse = { status: 200, body: {} }

/** The provider's operations on their paths, each request logged and subject to faults. */
export function operationRoutes(simulation: ProviderSimulation, dialect: Dialect): Router {
  const { catalogue, handle, faults, messages, requests } = simulation
  const router = express.Router({ caseSensitive: true, strict: true })
  router.use(express.text({ type: 'application/x-www-form-urlencoded', limit: '64kb' }))
  router.use(express.raw({ type: 'multipart/form-data', limit: '64kb' }))

  /** The numbers that a request is about. */
  function phonesOf(name: OperationName, fields: URLSearchParams): readonly string[] {
    if (name === 'messageState') return messages.find(fields.get('id') ?? '').map(({ phone }) => phone)
    return fields.get('phone')?.split(',') ?? []
  }

  async function perform(
    name: OperationName,
    path: string,
    request: Request,
    response: Response,
  ): Promise<void> {
    const isGet = catalogue[name].method === 'GET'
    const { fields, bodyProblem } = isGet
      ? { fields: queryOf(request), bodyProblem: undefined }
      : await bodyFields(request, dialect)
    // The path of the route: that of the request is a slice of its URL, and would keep the query alive.
    const requestId = requests.received(name, path, fields)
    const completed = await withCompletePhones(fields)
    const fault = faults.take(name, phonesOf(name, completed))
    if (fault !== undefined) requests.faultApplied(requestId, fault.kind)
    if (fault !== undefined && !isPerformedFirst(fault)) return applyFault(response, fault, notPerformed)

    const address = request.socket.remoteAddress ?? ''
    const result = handle(name, { fields: completed, address, requestId, bodyProblem })
    requests.answered(requestId, result.status, JSON.stringify(result.body))
    if (fault === undefined) writeResponse(response, result)
    else applyFault(response, fault, result)
  }

  for (const name of Object.keys(catalogue) as OperationName[]) {
    const { method, path, otherPaths = [] } = catalogue[name]
    for (const one of [path, ...otherPaths]) {
      router[method === 'GET' ? 'get' : 'post'](
        one,
        (request: Request, response: Response, next: NextFunction) => {
          perform(name, one, request, response).catch(next)
        },
      )
    }
  }
  return router
}
