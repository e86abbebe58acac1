import { parse as parseQuery } from 'node:querystring'
import { isMap, isUint8Array } from 'node:util/types'
import { json, type Request, type RequestHandler, type Response, urlencoded } from 'express'
import type { VerifyCommand } from '../../challenge/commands.js'
import type { Channel, Method } from '../../challenge/exchange/code-provider.js'
import { TwoFactorError } from '../../errors.js'
import { isPlainObject, parseJson, readObjectField } from '../../lib/json.js'
import { plainCharacters, separators } from '../../lib/typed.js'

/**
 * Members of a JSON object or a form. Read them with `readField` and `readFlagField`, which see own members only (prototype
 * pollution).
 */
export type Body = Readonly<Record<string, unknown>>

/** A request with its fields: the body of a POST, or the query of a GET. */
export interface RequestContext {
  readonly req: Request
  readonly res: Response
  readonly fields: Body
}

/** Enough for a long requirement, and too little to exhaust the memory. */
const limitBytes = 16 * 1_024
const maxBodySize = limitBytes

const formType = 'application/x-www-form-urlencoded'

/** How a body of one media type is parsed: from the request, from its text, and by an app's parser. */
interface Parser {
  readonly parse: RequestHandler
  readonly read: (text: string) => unknown
  readonly hosts: string
}

const parsers: ReadonlyMap<string, Parser> = new Map([
  ['application/json', { parse: json({ limit: maxBodySize }), read: parseJson, hosts: 'express.json()' }],
  [
    formType,
    {
      parse: urlencoded({ extended: false, limit: maxBodySize }),
      // Like the parser of Express: a repeated field becomes an array.
      read: (text) => parseQuery(text),
      hosts: 'express.urlencoded({ extended: false })',
    },
  ],
])

/**
 * Returns the fields of a JSON or form body: as the app has parsed them, from bytes that a parser or a platform adapter
 * has left, or from the request itself. Throws `BodyGone` if the body was read and nothing is left.
 */
export async function readBody(req: Request, res: Response): Promise<Body> {
  if (isFilled(req)) return asFields(req.body)
  const bytes = bytesLeft(req)
  if (bytes === undefined && !hasBody(req)) return {}
  const parser = parserFor(req)
  if (parser === undefined) throw new TwoFactorError('unsupported_media_type')
  if (bytes !== undefined) return objectOf(readBytes(parser, bytes))
  if (wasParsed(req)) return {}
  const isRead = req.readableDidRead || (req.readableEnded && !req.destroyed)
  if (isRead && isMissing(req.body)) throw new BodyGone(parser)
  if (!isRead) await run(parser.parse, req, res)
  return objectOf(req.body)
}

/**
 * Something has read the body before and left nothing. This is a mistake in the app's wiring, which the client cannot
 * fix.
 */
export class BodyGone extends TypeError {
  constructor({ hosts }: Parser) {
    super(
      `The body of this request was already read, but req.body does not contain it: parse it with app.use(${hosts}), or keep its bytes in req.body or req.rawBody.`,
    )
  }
}

const isMissing = (body: unknown) => body === undefined || body === '' || isUint8Array(body)

/** Parses bytes that are left of a body into `req.body`. Returns false if there are none. */
export function parseBytesLeft(req: Request): boolean {
  const bytes = bytesLeft(req)
  const parser = parserFor(req)
  if (bytes === undefined || parser === undefined || isFilled(req)) return false
  req.body = objectOf(readBytes(parser, bytes))
  return true
}

function objectOf(body: unknown): Body {
  if (!isPlainObject(body)) throw invalid('The body must be an object.')
  return body
}

/** Returns what express.raw(), express.text() or a serverless adapter has read without parsing it. */
function bytesLeft({
  body,
  rawBody,
}: Request & { readonly rawBody?: unknown }): string | Uint8Array | undefined {
  for (const left of [body, rawBody]) {
    if ((typeof left === 'string' || isUint8Array(left)) && left.length > 0) return left
  }
  return undefined
}

function readBytes({ read }: Parser, bytes: string | Uint8Array): unknown {
  const buffer = Buffer.from(bytes)
  if (buffer.length > limitBytes) throw new TwoFactorError('payload_too_large')
  const found = read(buffer.toString())
  if (found === undefined) throw invalid('The body could not be parsed.')
  return found
}

/** Returns the query of the URL, because the app's own `query parser` is unknown. */
export function queryOf({ originalUrl }: Request): Body {
  const start = originalUrl.indexOf('?')
  return start === -1 ? {} : parseQuery(originalUrl.slice(start + 1))
}

/** Returns whether a value contains fields. Parsers of apps also create class instances and Maps. */
const holdsFields = (body: unknown): body is Body | ReadonlyMap<string, unknown> =>
  typeof body === 'object' && body !== null && !Array.isArray(body) && !isUint8Array(body)

const asFields = (body: Body | ReadonlyMap<string, unknown>): Body =>
  isMap(body) ? Object.fromEntries(body) : (body as Body)

/** Returns whether the app has parsed a body with content. */
export function isFilled({ body }: Request): boolean {
  return holdsFields(body) && Object.keys(asFields(body)).length > 0
}

/**
 * Returns whether the app has parsed a body, perhaps an empty one. A parser that skips a body of another type may leave
 * an empty object.
 */
export function wasParsed(req: Request): boolean {
  return isFilled(req) || (holdsFields(req.body) && (req.readableDidRead || !hasBody(req)))
}

/** Returns whether the request has a body, read or not. */
export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Returns whether the media type is that of a form without files. */
export function isForm(req: Request): boolean {
  return mediaTypeOf(req) === formType
}

/** Returns the parsers for the media type of this body, or undefined if Express has none for objects. */
export function parserFor(req: Request) {
  return parsers.get(mediaTypeOf(req))
}

/** Returns whether the request names a media type for which Express has no parser of objects. */
export function hasUnknownType(req: Request): boolean {
  return mediaTypeOf(req) !== '' && parserFor(req) === undefined
}

/** Returns the media type of the body without parameters, or an empty text. */
function mediaTypeOf({ headers }: Request): string {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1)
  return type.trim().toLowerCase()
}

/** Returns a string. An empty one counts as absent, because a form submits an empty field that way. */
export function readField(body: Body, name: string): string | undefined {
  if (!Object.hasOwn(body, name)) return undefined
  const value = body[name]
  // A repeated field arrives as an array, and neither value is used (parameter pollution).
  if (typeof value !== 'string') throw invalid(`${name} must be a single string.`)
  return value === '' ? undefined : value
}

/** Like `readField`, without an error: any value but one string with content counts as absent. */
export function findField(body: Body, name: string): string | undefined {
  const value = Object.hasOwn(body, name) ? body[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns a boolean: `true` in JSON, `true` or `on` in a form. */
export function readFlagField(body: Body, name: string): boolean {
  if (!Object.hasOwn(body, name)) return false
  const value = body[name]
  if (value === true || value === 'true' || value === 'on') return true
  if (value === false || value === 'false' || value === '') return false
  throw invalid(`${name} must be true or false.`)
}

/** Returns the requested channel, if any. */
export function readChannel(body: Body, methods: readonly Method[]): Channel | undefined {
  const channel = readField(body, 'channel')
  const names = methods.map(({ name }) => name)
  if (channel === undefined || names.includes(channel)) return channel
  throw invalid(`channel must be ${alternatives.format(names)}.`)
}

/** Returns the response of the browser to a passkey: an object in JSON, its text in a form. Undefined without one. */
export function readPasskey(body: Body): object | undefined {
  if (!Object.hasOwn(body, 'passkey')) return undefined
  const value = readObjectField(body.passkey)
  if (value === undefined) throw invalid('passkey must be the response of the browser.')
  if (readField(body, 'code') !== undefined) throw invalid('Send code or passkey, not both.')
  return value
}

const alternatives = new Intl.ListFormat('en', { type: 'disjunction' })

export function invalid(message: string): TwoFactorError {
  return new TwoFactorError('invalid_request', { message })
}

function run(parser: RequestHandler, req: Request, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    parser(req, res, (error?: unknown) => (error ? reject(refusalOf(error, req)) : resolve()))
  })
}

/** Converts an error of a body parser, which Express reports by `status`. */
function refusalOf(error: unknown, req: Request): unknown {
  const { status } = error as { status?: unknown }
  // Broken framing: Express 4 reports a stream that ended too early as a server error.
  if (req.destroyed && !req.complete) return invalid('The body could not be read.')
  if (status === 413) return new TwoFactorError('payload_too_large')
  if (status === 415) return new TwoFactorError('unsupported_media_type')
  if (typeof status === 'number' && status < 500) return invalid('The body could not be parsed.')
  return error
}

const maxCodeTextLength = 1_000

/** Format of the codes of authenticator apps. */
export const appCodePattern = /^\d{6}$/
/** Apps of other systems may show eight digits. */
const anyAppCodePattern = /^(?:\d{6}|\d{8})$/

/** Returns the input as a code of each kind, or undefined if it can be none. */
export function readCodes(
  typed: string,
  settings: { readonly code: { readonly pattern: RegExp }; readonly authenticator?: object | undefined },
): Pick<VerifyCommand, 'code' | 'appCode'> | undefined {
  const code = readCode(typed, settings.code.pattern)
  const appCode = settings.authenticator && readCode(typed, anyAppCodePattern)
  return (code ?? appCode) === undefined ? undefined : { code, appCode }
}

/**
 * Returns the typed or pasted code, or undefined if there is none or more than one. White space, dashes and similar
 * characters are removed, digits of any script count, and a pasted message may contain the code.
 */
export function readCode(typed: string, pattern: RegExp): string | undefined {
  // Limited first, because the app's pattern may be slow for long texts (ReDoS).
  if (typed.length > maxCodeTextLength) return undefined
  const plain = plainCharacters(typed)
  const code = plain.replaceAll(separators, '')
  if (pattern.test(code)) return code
  return onlyCodeIn(plain, pattern)
}

/** In a sentence, only a word with a digit counts as a code. */
function onlyCodeIn(message: string, pattern: RegExp): string | undefined {
  const words = message.match(/[\p{L}\p{N}_+@#/-]+/gu) ?? []
  if (words.length < 2) return undefined
  const codes = new Set(
    words.map((word) => word.replaceAll('-', '')).filter((word) => /\d/.test(word) && pattern.test(word)),
  )
  const [code] = codes
  return codes.size === 1 ? code : undefined
}
