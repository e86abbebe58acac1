import { isJsonObject } from '../../../lib/json.js'
import type { Fields } from './contract.js'
import {
  forgedHeaders,
  methods,
  namingHeaders,
  overrideHeaders,
  overrides,
  pathHeaders,
  spellingsOf,
  subjectNames,
} from './hostile.js'
import { leavesOf, withLeaf, withoutLeaf } from './leaves.js'
import { formOf, multipartOf, multipartType } from './requests.js'
import type { RehearsalRequest } from './wire.js'

/** One notation of a request that a guard may read as another request, but the handler as the original. */
export interface VariantKind {
  readonly code: string
  readonly claim: string
  readonly fix: string
  readonly docs: string
  /** True if some variants name the owner. */
  readonly namesOwner?: true
  /** `fields` belong to the action; a page has none. `names` belong to the owner of the action or page. */
  of(request: RehearsalRequest, fields: Fields, names: readonly string[]): readonly RehearsalRequest[]
}

const guardDocs = 'docs/reference.md#the-guard'

/** The only table of variants. Each applies to actions and pages. */
export const variantKinds: readonly VariantKind[] = [
  {
    code: 'spellings',
    claim: 'no other spelling of a path does an action or shows a page without a code',
    fix: 'put the guard on the route or its router, app.post(path, guard, handler), instead of a comparison with req.path',
    docs: 'docs/security.md#names-mounts-and-passwords',
    of: (request) => spellingsOf(request.path).map((path) => ({ ...request, path })),
  },
  {
    code: 'other-methods',
    claim: 'no other method does an action or shows a page without a code',
    fix: 'put the guard before the handlers of every method, app.all(path, guard), and change nothing on GET',
    docs: guardDocs,
    of(request, fields) {
      const path = `${request.path}?${formOf(fields)}`
      return [
        ...methods
          .filter((method) => method !== request.method)
          .map((method) => ({ ...request, method, path })),
        // A guard may look at the method that was sent, and the handler at the one that a header names.
        ...methods
          .filter((method) => method !== 'POST' && method !== request.method)
          .map((method) => ({
            ...request,
            method,
            headers: { ...request.headers, 'x-http-method-override': request.method },
          })),
        // A form can send this, and a server behind the guard may read the method from it.
        ...overrides.map((method) => ({ method: 'GET', path: `${path}&_method=${method}` })),
        ...overrides.flatMap((_method) => [
          { method: 'POST', path: request.path, body: { ...fields, _method } },
          { method: 'POST', path: request.path, body: formOf({ ...fields, _method }) },
          { ...request, method: 'POST', path: `${request.path}?_method=${_method}` },
          ...overrideHeaders.map((name) => ({
            ...request,
            method: 'POST',
            headers: { ...request.headers, [name]: _method },
          })),
        ]),
      ]
    },
  },
  {
    code: 'content-types',
    claim: 'no other content type does an action or shows a page without a code',
    fix: 'let the guard run for every body, with each parser before the guard: app.post(path, parser, guard, handler)',
    docs: guardDocs,
    of({ method, path }, fields) {
      return [
        ...inContentTypes(fields).map(({ type, body }) => ({
          method,
          path,
          body,
          headers: { 'content-type': type },
        })),
        { method, path: `${path}?${formOf(fields)}` },
      ]
    },
  },
  {
    code: 'forged-headers',
    claim:
      'no header about host, path, address or user does an action or shows a page without a code, and none that is missing',
    fix: 'let no header that a visitor can send or omit skip the guard or name the user; read req.ip behind a trust proxy setting that names your proxies',
    docs: 'docs/deployment.md#trust-proxy',
    namesOwner: true,
    of(request, _fields, names) {
      const having = (headers: RehearsalRequest['headers'], path = request.path) => ({
        ...request,
        path,
        headers: { ...request.headers, ...headers },
      })
      return [
        ...[...forgedHeaders, ...namingHeaders(names)].map((headers) => having(headers)),
        // A server behind the guard may read the path from a header, or the guard may.
        ...pathHeaders.flatMap((name) => [having({ [name]: '/' }), having({ [name]: request.path }, '/')]),
      ]
    },
  },
  {
    code: 'other-fields',
    claim:
      'no field that is omitted, repeated or written in another way does an action or shows a page without a code',
    fix: 'parse each field once, to one type, before any code uses it; refuse values of another type; if your own handler calls the guard, pass next itself, guard(req, res, next), because () => next() drops its error',
    docs: guardDocs,
    namesOwner: true,
    of(request, fields, names) {
      const withQuery = (query: Readonly<Record<string, string>>) => ({
        ...request,
        path: `${request.path}?${new URLSearchParams(query)}`,
      })
      return [
        ...switches.map((name) => withQuery({ [name]: '1' })),
        ...['off', 'false', '0'].map((value) => withQuery(valueOfEach(checks, value))),
        ...['json', 'html', 'csv'].map((format) => withQuery({ format })),
        ...names.map((name) => withQuery(valueOfEach(subjectNames, name))),
        // A handler of lists may accept what the guard does not read.
        ...(isJsonObject(request.body) ? [{ ...request, body: [request.body] }] : []),
        ...leavesOf(fields).flatMap(({ path, value }) =>
          [
            ...[...notationsOf(value), ...(typeof value === 'string' ? capitalsOf(value) : [])],
            ...[...(typeof value === 'number' ? [-value] : []), [value], { value }, null],
          ]
            .map((other) => bodyLike(request, withLeaf(fields, path, other)))
            .concat(
              bodyLike(request, withoutLeaf(fields, path)),
              bodyLike(request, repeated(fields, path, value)),
            ),
        ),
      ]
    },
  },
]

/** Fields by which an app may switch a guard off. */
const switches = ['admin', 'debug', 'test', 'internal', 'preview', 'skip2fa', 'confirmed', 'verified']

/** Names of a guard by which an app may switch it off. */
const checks = [
  '2fa',
  'mfa',
  'otp',
  'stepUp',
  'step_up',
  'twoFactor',
  'two_factor',
  'verify',
  'guard',
  'confirm',
]

const valueOfEach = (names: readonly string[], value: string) =>
  Object.fromEntries(names.map((name) => [name, value]))

/** Returns the request with other fields, in its own format. */
function bodyLike(request: RehearsalRequest, fields: Fields): RehearsalRequest {
  if (request.body instanceof URLSearchParams) return { ...request, body: formOf(fields) }
  if (typeof request.body === 'string') return { ...request, body: multipartOf(fields) }
  return { ...request, body: fields }
}

/** Repeats a field with its value; in JSON, where a name is unique, as a list. */
const repeated = (fields: Fields, path: readonly string[], value: unknown): Fields =>
  withLeaf(fields, path, [value, value])

/** Returns other notations that a careless parser reads as this value. */
export function notationsOf(value: unknown): readonly unknown[] {
  const number = Number(value)
  if (typeof value === 'boolean') return [String(value), Number(value)]
  if (typeof value !== 'number' && !(typeof value === 'string' && /^\d+$/.test(value))) {
    return [` ${value}`, `${value} `, `${value}\u0000`, ...inGroups(String(value))]
  }
  return [
    ...inGroups(String(value)),
    ...[typeof value === 'number' ? String(value) : number, ` ${value}`, `+${value}`, `0${value}`],
    ...[`${value}.0`, `${number}e0`, number.toExponential(), `0x${number.toString(16)}`, `${value}abc`],
  ]
}

/** Returns a number with separators of thousands, as in English and German: 1,500.50 and 1.500,50. */
function inGroups(number: string): readonly string[] {
  const [, whole, fraction] = /^(\d+)(\.\d+)?$/.exec(number) ?? []
  if (whole === undefined) return []
  const english = whole.padStart(4, '0').replaceAll(/\B(?=(\d{3})+$)/g, ',') + (fraction ?? '')
  return [english, english.replaceAll(/[.,]/g, (mark) => (mark === '.' ? ',' : '.'))]
}

/**
 * Returns the text in capitals, in small letters, and with one letter in the other case, unless it is written so. In Base58,
 * O, I and l are no letters.
 */
export const capitalsOf = (text: string): readonly string[] =>
  [
    text.toUpperCase(),
    text.toLowerCase(),
    text.replace(/[a-hjkmnp-z](?=[^a-hjkmnp-z]*$)/i, inOtherCase),
  ].filter((other) => other !== text)

const inOtherCase = (letter: string): string =>
  letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()

/** Returns the fields in the format of each kind of parser. */
export function inContentTypes(fields: Fields): readonly { readonly type: string; readonly body: string }[] {
  const [json, form] = [JSON.stringify(fields), String(formOf(fields))]
  return [
    { type: 'application/json', body: json },
    { type: 'application/json; charset=utf-16', body: json },
    { type: 'application/vnd.api+json', body: json },
    { type: 'text/plain', body: json },
    { type: 'application/x-www-form-urlencoded', body: form },
    { type: 'Application/X-WWW-Form-Urlencoded; charset=iso-8859-1', body: form },
    { type: multipartType, body: multipartOf(fields) },
  ]
}

/** Returns whether a form can send this content type: browsers let every site send it without a preflight. */
export const isOfForms = (type: string): boolean =>
  /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i.test(type)
