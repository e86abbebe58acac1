import type { Fields } from './contract.js'
import type { RehearsalRequest } from './wire.js'

/** Fields as a form sends them. */
export const formOf = (fields: Fields): URLSearchParams =>
  new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]))

/** Methods by which something is read (RFC 9110, 9.2.1, and the registry of methods). */
export const safeMethods = ['GET', 'HEAD', 'OPTIONS', 'QUERY', 'PROPFIND', 'REPORT', 'SEARCH']

/** Methods that an app may have a handler for without anybody having thought of it. */
export const methods = [...safeMethods, 'POST', 'PUT', 'PATCH', 'DELETE', 'PURGE']

/** Methods that a server may be told to take a POST for. */
export const overrides = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Whether a field belongs to the request and not to what it does: a key against repeats, a token against CSRF. */
export const isOfTheRequest = (name: string): boolean =>
  /^_|idempot|nonce|csrf|xsrf|token|request.?id|^(key|uuid)$/i.test(name)

/** The same request as another one, for an app that answers a repeated key as it did before. */
export function withKey(request: RehearsalRequest, key?: string): RehearsalRequest {
  if (key === undefined) return request
  const { body } = request
  const isForm = body instanceof URLSearchParams
  const fields = Object.entries((isForm ? Object.fromEntries(body) : body) ?? {})
  const keyed = Object.fromEntries(
    fields.map(([name, value]) => [name, /idempot|nonce|request.?id|^(key|uuid)$/i.test(name) ? key : value]),
  )
  const sent = body === undefined ? {} : { body: isForm ? formOf(keyed) : keyed }
  return { ...request, ...sent, headers: { ...request.headers, 'idempotency-key': key } }
}

/** A value like this one, so that it is not refused for its form alone. */
export function anotherValue(value: Fields[string]): Fields[string] {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 1
  // The last digit or letter is another one: an address stays an address, and a date a date.
  return value.replace(/[a-z\d](?=[^a-z\d]*$)/i, (last) =>
    /\d/.test(last) ? (last === '1' ? '2' : '1') : last === 'e' ? 'a' : 'e',
  )
}

/** Ways to write a path that a router may take for the same one, and a guard for another. */
export function spellingsOf(path: string): readonly string[] {
  const end = path.lastIndexOf('/')
  const [before, last] = [path.slice(0, end), path.slice(end + 1)]
  const encoded = (text: string) =>
    text.replace(/[a-z]/i, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
  return [
    ...[path, `${path}/`, path.toUpperCase(), `${before}/${last.charAt(0).toUpperCase()}${last.slice(1)}/`],
    ...[`${path}?purpose=login`, `${path}?twoFactor=1&req.twoFactor=1`, `${path}#x`],
    ...[`${before}//${last}`, `/${path}`, `${before}/./${last}`, `${before}/x/../${last}`],
    ...[`${before}/${encoded(last)}`, encoded(path), encoded(`${before.toUpperCase()}/`) + encoded(last)],
    ...[`${before}%2F${last}`, `${path}%2F`, `${path}%00`, `${path}%20`, `${path}%`, `${path}%0d%0aX:1`],
    ...[`${path};admin=1`, `${path}.json`, `${before}/%2e/${last}`, `${before}/%2e%2e${path}`],
    ...[`${before}\\${last}`, `${path}%C3%B3`],
  ]
}

/** The same fields as parsers of every kind take them. */
export function inContentTypes(fields: Fields): readonly { readonly type: string; readonly body: string }[] {
  const [json, form] = [JSON.stringify(fields), String(formOf(fields))]
  const boundary = 'rehearsal'
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return [
    { type: 'application/json', body: json },
    { type: 'application/json; charset=utf-16', body: json },
    { type: 'application/vnd.api+json', body: json },
    { type: 'text/plain', body: json },
    { type: 'application/x-www-form-urlencoded', body: form },
    { type: 'Application/X-WWW-Form-Urlencoded; charset=iso-8859-1', body: form },
    { type: `multipart/form-data; boundary=${boundary}`, body: `${parts.join('')}--${boundary}--\r\n` },
  ]
}

/** Whether a form can send this content type: a browser lets every site do that, without asking the app. */
export const isOfForms = (type: string): boolean =>
  /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\b/i.test(type)

/** Names under which an app may read from a request who somebody is, where a code goes, or where to go next. */
export const subjectNames = [
  ...['subject', 'user', 'userId', 'user_id', 'username', 'name', 'login', 'email', 'id', 'account'],
]
export const phoneNames = ['phone', 'phoneNumber', 'phone_number', 'mobile', 'number', 'tel', 'to']
export const wayNames = [
  ...['callbackUrl', 'returnTo', 'return_to', 'returnUrl', 'next', 'redirect', 'continue', 'url'],
]

/** A site that is not the app. */
export const attacker = 'https://evil.example'

/** Origins of others that a careless comparison takes for one of these. */
export function originsLike(origins: readonly string[]): readonly string[] {
  const like = origins.flatMap((origin) => {
    const { protocol, hostname, port } = new URL(origin)
    const end = port === '' ? '' : `:${port}`
    // Another name below its domain may be its own.
    const domain = /[a-z]/i.test(hostname) ? hostname.split('.').slice(-2).join('.') : hostname
    return [
      ...[`${protocol}//${hostname}.evil.example`, `${origin}.evil.example`],
      ...[`${protocol}//evil${domain}${end}`, `https://evil-${domain}${end}`, `${attacker}${end}`],
    ]
  })
  return [attacker, 'null', ...new Set(like)]
}

/** Ways to make a browser leave the site by a `Location` that begins with a slash, or nearly does. */
export const waysOut = [
  attacker,
  'https:evil.example',
  '//evil.example',
  '///evil.example',
  '////evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '\\\\evil.example',
  '/\\/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '/ /evil.example',
  '\u0000//evil.example',
  '/\u0000/evil.example',
  '/\u00a0/evil.example',
  '／／evil.example',
  '/／evil.example',
  '/﹨evil.example',
  '/evil.example\r\nSet-Cookie: a=b',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,x',
  'evil.example',
  '@evil.example',
  '.evil.example',
  '?next=//evil.example',
  '#//evil.example',
  './/evil.example',
  '../evil.example',
]

/** Headers of requests that another site made a browser send to this origin. */
export function crossSiteHeaders(origin: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  return {
    'another site': { 'sec-fetch-site': 'cross-site', origin: attacker },
    'another host of the site': { 'sec-fetch-site': 'same-site' },
    'an unknown word': { 'sec-fetch-site': 'friendly' },
    'two words': { 'sec-fetch-site': 'same-origin, cross-site' },
    'cross-site with our own origin': { 'sec-fetch-site': 'cross-site', origin },
    'another origin': { origin: attacker },
    'another port': { origin: 'http://127.0.0.1:1' },
    'a look-alike': { origin: `${origin}.evil.example` },
    'no origin at all': { origin: 'null' },
    'a file': { origin: 'file://' },
    'another scheme of our host': { origin: origin.replace('http:', 'ftp:') },
    'no URL': { origin: `${origin}, ${attacker}` },
  }
}
