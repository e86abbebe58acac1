import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import { loadPhoneData, phoneCountries } from '../../../phone-number.js'
import type { OperationName } from '../../../provider/operations.js'
import { faultKinds, isPerformed, writeResponse } from '../fault-kinds.js'
import type { Dialect } from '../options.js'
import type { ProviderSimulation } from '../provider-simulation.js'
import { pathsOf } from '../service/dialect.js'
import type { ServiceResponse } from '../service/responder.js'

const form = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data'

const notPerformed: ServiceResponse = { status: 200, body: {} }

/** Creates the provider's operations on their paths. Each request is logged and subject to faults. */
export function operationRoutes(simulation: ProviderSimulation, dialect: Dialect): Router {
  const { catalogue, handle, faults, messages, requests } = simulation
  const router = express.Router({ caseSensitive: true, strict: true })
  router.use(express.text({ type: form, limit: '64kb' }))
  router.use(express.raw({ type: multipart, limit: '64kb' }))

  /** Returns the numbers in a request. */
  function phonesOf(name: OperationName, fields: URLSearchParams): readonly string[] {
    if (name === 'messageState') return messages.find(fields.get('id') ?? '').map(({ phone }) => phone)
    return fields.get('phone')?.split(',') ?? []
  }

  async function perform(name: OperationName, request: Request, response: Response): Promise<void> {
    const isGet = catalogue[name].method === 'GET'
    const { fields, bodyProblem }: ReadFields = isGet
      ? { fields: queryOf(request) }
      : await bodyFields(request, dialect)
    const requestId = requests.received(name, request.path, fields)
    const completed = await withCompletePhones(fields)
    const fault = faults.take(name, phonesOf(name, completed))
    if (fault !== undefined) requests.faultApplied(requestId, fault.kind)
    if (fault !== undefined && !isPerformed(fault)) {
      return faultKinds[fault.kind].respond(response, fault, notPerformed)
    }
    const address = request.socket.remoteAddress ?? ''
    const result = handle(name, { fields: completed, address, requestId, bodyProblem })
    requests.answered(requestId, result.status, JSON.stringify(result.body))
    if (fault === undefined) writeResponse(response, result)
    else faultKinds[fault.kind].respond(response, fault, result)
  }

  for (const name of Object.keys(catalogue) as OperationName[]) {
    const method = catalogue[name].method === 'GET' ? 'get' : 'post'
    for (const path of pathsOf(catalogue[name])) {
      router[method](path, (request: Request, response: Response, next: NextFunction) => {
        perform(name, request, response).catch(next)
      })
    }
  }
  return router
}

/** The parameters of a request, or the reason why they are unreadable. */
interface ReadFields {
  readonly fields: URLSearchParams
  readonly bodyProblem?: string
}

/** Returns the parameters of a GET: its query. */
export function queryOf(request: Request): URLSearchParams {
  return new URL(request.originalUrl, 'http://sandbox').searchParams
}

/**
 * Returns the parameters of a POST. Its query never counts, because URLs end up in logs. The specification has only
 * forms; services in the field also accepted multipart.
 */
async function bodyFields(request: Request, dialect: Dialect): Promise<ReadFields> {
  const body: unknown = request.body
  if (typeof body === 'string') return { fields: new URLSearchParams(body) }
  const fields = new URLSearchParams()
  if (!hasBody(request)) return { fields }
  if (dialect === 'observed' && Buffer.isBuffer(body))
    return readMultipart(body, request.get('content-type') ?? '')
  const type = request.get('content-type')?.split(';')[0] ?? 'of no content type'
  return { fields, bodyProblem: `The body is ${type}; it must be ${form}.` }
}

/** Returns whether there is a body. An empty body has length 0, but `request.is()` would report an unknown type. */
export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

async function readMultipart(body: Buffer, type: string): Promise<ReadFields> {
  const fields = new URLSearchParams()
  try {
    const data = await new Response(new Uint8Array(body), { headers: { 'Content-Type': type } }).formData()
    for (const [name, value] of data) if (typeof value === 'string') fields.append(name, value)
    return { fields }
  } catch {
    return { fields, bodyProblem: `The body is not valid ${multipart}.` }
  }
}

type PhoneData = Awaited<ReturnType<typeof loadPhoneData>>
type Country = ReturnType<PhoneData['getCountries']>[number]

/**
 * Completes the national numbers of a request by `country-code`. The numbering plans are loaded only for this: they are
 * larger than the sandbox.
 */
async function withCompletePhones(fields: URLSearchParams): Promise<URLSearchParams> {
  const phone = fields.get('phone')
  const country = fields.get('country-code')?.toUpperCase() ?? ''
  // Duplicate parameters and unknown countries are refused later.
  if (phone === null || fields.getAll('phone').length > 1 || !phoneCountries.has(country)) return fields
  const { parsePhoneNumberFromString } = await loadPhoneData()
  function complete(number: string): string {
    if (number.startsWith('+')) return number
    const parsed = parsePhoneNumberFromString(number, { defaultCountry: country as Country, extract: false })
    return parsed?.isPossible() ? parsed.number.slice(1) : number
  }
  const completed = new URLSearchParams(fields)
  const numbers = phone.split(',').map((number) => complete(number.trim()))
  completed.set('phone', numbers.join(','))
  return completed
}
