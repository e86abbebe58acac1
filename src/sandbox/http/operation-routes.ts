import express, { type Request, type Response, type Router } from 'express'
import type { Operation, OperationName } from '../../provider/operations.js'
import type { ProviderSimulation } from '../provider-simulation.js'
import type { ServiceResponse } from '../service/responder.js'
import { isDoneFirst, applyFault, writeResponse } from './apply-fault.js'

const nothingDone: ServiceResponse = { status: 200, body: {} }

/** The provider's operations on their paths, each request logged and open to faults. */
export function operationRoutes({ catalogue, handle, faults, requests }: ProviderSimulation): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  router.use(express.text({ type: 'application/x-www-form-urlencoded', limit: '64kb' }))

  function handle(name: OperationName, operation: Operation) {
    return (request: Request, response: Response) => {
      const fields = operation.method === 'GET' ? queryOf(request) : formOf(request)
      const requestId = requests.received(name, fields)
      const fault = faults.take(name)
      if (fault !== undefined) requests.played(requestId, fault.kind)
      if (fault !== undefined && !isDoneFirst(fault)) return applyFault(response, fault, nothingDone)

      const answer = handle(name, { fields, address: request.socket.remoteAddress ?? '', requestId })
      requests.answered(requestId, answer.status, JSON.stringify(answer.body))
      if (fault === undefined) writeResponse(response, answer)
      else applyFault(response, fault, answer)
    }
  }

  for (const name of Object.keys(catalogue) as OperationName[]) {
    const operation = catalogue[name]
    const method = operation.method === 'GET' ? 'get' : 'post'
    for (const path of [operation.path, ...(operation.otherPaths ?? [])]) {
      router[method](path, handle(name, operation))
    }
  }
  return router
}

function queryOf(request: Request): URLSearchParams {
  return new URL(request.originalUrl, 'http://sandbox').searchParams
}

/** Credentials in the query of a POST never count: they would end up in logs. */
function formOf(request: Request): URLSearchParams {
  return new URLSearchParams(typeof request.body === 'string' ? request.body : '')
}
