import type { Fields, RehearsalAction, RehearsalPerson } from './contract.js'
import { requestWith } from './requests.js'
import type { RehearsalRequest } from './wire.js'

/** Names of fields by which an app recognises a repeated request. */
export const bodyKey = /idempot|nonce|request.?id|^(key|uuid)$/i

/** Returns the request with a new key, so that an app that repeats its first response does the action again. */
export function withNewKey(
  action: RehearsalAction,
  person: RehearsalPerson,
  fields: Fields,
  key: string = crypto.randomUUID(),
): RehearsalRequest {
  const renewed = Object.entries(fields).map(([name, value]) => [name, bodyKey.test(name) ? key : value])
  const request = requestWith(action, person, Object.fromEntries(renewed))
  return { ...request, headers: { ...request.headers, 'idempotency-key': key } }
}
