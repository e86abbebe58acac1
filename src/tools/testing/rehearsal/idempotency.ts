import type { Fields } from './contract.js'
import type { RehearsalRequest } from './wire.js'

/** Names of fields by which an app recognises a repeated request. */
export const bodyKey = /idempot|nonce|request.?id|^(key|uuid)$/i

/** Returns the request with another key, so that an app that repeats its first response does the action again. */
export function withKey(request: RehearsalRequest, key: string): RehearsalRequest {
  const { body } = request
  const headers = { ...request.headers, 'idempotency-key': key }
  const replace = (fields: Fields) =>
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, bodyKey.test(name) ? key : value]),
    )
  if (body instanceof URLSearchParams) {
    return {
      ...request,
      headers,
      body: new URLSearchParams(replace(Object.fromEntries(body)) as Record<string, string>),
    }
  }
  if (typeof body !== 'object' || body === null) return { ...request, headers }
  return { ...request, headers, body: replace(body as Fields) }
}
