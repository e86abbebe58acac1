import { isJsonObject } from '../../../lib/json.js'
import type { Fields, RehearsalPath, RehearsalPerson, RehearsalRequestOf } from './contract.js'
import type { Visit } from './visit.js'
import type { RehearsalRequest, RehearsalResponse } from './wire.js'

export const pathFor = (path: RehearsalPath, person: RehearsalPerson): string =>
  typeof path === 'function' ? path(person) : path

export const hasOwnPath = ({ path, body }: Pick<RehearsalRequestOf, 'path' | 'body'>): boolean =>
  typeof path === 'function' || typeof body === 'function'

/** Encodes fields as a form does: a list repeats its field. */
export const formOf = (fields: Fields): URLSearchParams =>
  new URLSearchParams(
    Object.entries(fields).flatMap(([name, value]) =>
      [value]
        .flat()
        .map((one): [string, string] => [name, typeof one === 'object' ? JSON.stringify(one) : String(one)]),
    ),
  )

const boundary = 'rehearsal'
export const multipartType = `multipart/form-data; boundary=${boundary}`

export function multipartOf(fields: Fields): string {
  const parts = [...formOf(fields)].map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return `${parts.join('')}--${boundary}--\r\n`
}

export async function fieldsOf(
  { body = {} }: Pick<RehearsalRequestOf, 'body'>,
  visit: Visit,
): Promise<Fields> {
  const fields = typeof body === 'function' ? await body(visit.person, visit.agent) : body
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** Names of fields that an app issues with each form. */
const formToken = /csrf|xsrf|token/i

/**
 * Returns the fields of a request that is sent once more, as after its code. They stay the same, because a code covers
 * them; only a form's token is read again.
 */
export async function fieldsAgain(
  request: Pick<RehearsalRequestOf, 'body'>,
  visit: Visit,
  fields: Fields,
): Promise<Fields> {
  if (!Object.keys(fields).some((name) => formToken.test(name))) return fields
  const tokens = Object.entries(await fieldsOf(request, visit)).filter(([name]) => formToken.test(name))
  return { ...fields, ...Object.fromEntries(tokens) }
}

/** Creates a request of the plan with these fields. */
export function requestWith(
  { method = 'POST', path, type = 'json', body }: RehearsalRequestOf,
  person: RehearsalPerson,
  fields: Fields,
): RehearsalRequest {
  const target = { method, path: pathFor(path, person) }
  if (body === undefined && Object.keys(fields).length === 0) return target
  if (type === 'multipart') {
    return { ...target, body: multipartOf(fields), headers: { 'content-type': multipartType } }
  }
  return { ...target, body: type === 'json' ? fields : formOf(fields) }
}

export const requestOf = async (
  request: RehearsalRequestOf,
  visit: Visit,
  over: Fields = {},
): Promise<RehearsalRequest> =>
  requestWith(request, visit.person, { ...(await fieldsOf(request, visit)), ...over })

export const isSuccess = ({ status }: RehearsalResponse): boolean => status >= 200 && status < 300

/** Returns the `requirement` of a refusal: in the address of the code page, or anywhere in JSON (GraphQL: in `errors`). */
export function requirementIn({ json, headers: { location = '' } }: RehearsalResponse): string | undefined {
  return new URLSearchParams(location.split('?')[1]).get('requirement') ?? memberIn(json, 'requirement')
}

/** Returns the purpose that a guard names beside its requirement. */
export const purposeIn = ({ json }: RehearsalResponse): string | undefined => memberIn(json, 'purpose')

function memberIn(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (isJsonObject(value) && typeof value[name] === 'string') return value[name]
  return Object.values(value)
    .map((inner) => memberIn(inner, name))
    .find((found) => found !== undefined)
}
