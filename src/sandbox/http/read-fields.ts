import type { Request } from 'express'
import type { Dialect } from '../service/dialect.js'

/** The parameters of a request, or why they could not be read. */
export interface ReadFields {
  readonly fields: URLSearchParams
  readonly bodyProblem?: string
}

const form = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data'

/** Parameters of a GET: its query. */
export function queryOf(request: Request): URLSearchParams {
  return new URL(request.originalUrl, 'http://sandbox').searchParams
}

/**
 * Parameters of a POST. Those in its query never count, because a URL ends up in logs. The specification
 * knows forms only; services in the field also accepted multipart.
 */
export async function bodyFields(request: Request, dialect: Dialect): Promise<ReadFields> {
  const body: unknown = request.body
  if (typeof body === 'string') return { fields: new URLSearchParams(body) }
  const fields = new URLSearchParams()
  if (!hasBody(request)) return { fields }
  if (dialect === 'observed' && Buffer.isBuffer(body))
    return readMultipart(body, request.get('content-type') ?? '')
  const type = request.get('content-type')?.split(';')[0] ?? 'of no content type'
  return { fields, bodyProblem: `The body is ${type}; it must be ${form}.` }
}

/** An empty body says so with its length; `request.is()` would call it one of an unknown type. */
export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

async function readMultipart(body: Buffer, type: string): Promise<ReadFields> {
  const fields = new URLSearchParams()
  try {
    const data = await new Response(new Uint8Array(body), { headers: { 'Content-Type': type } }).formData()
    for (const [name, value] of data) if (typeof value === 'string') fields.append(name, value)
    return { fields }
  } catch (error) {
    if (error instanceof TypeError) return { fields, bodyProblem: `The body is not valid ${multipart}.` }
    throw error
  }
}
