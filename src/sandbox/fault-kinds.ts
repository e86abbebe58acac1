import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { ServiceResponse } from './service/responder.js'

/** What faults may take; which kind takes what, `faultKinds` says. */
export interface FaultMembers {
  /** HTTP status. */
  readonly status?: number
  /** A string as it is, anything else as JSON. */
  readonly body?: unknown
  /** Further header lines. */
  readonly headers?: Readonly<Record<string, string>>
  /** Real time, in ms; 1,000 by default. */
  readonly delayMs?: number
  /** Size of the body; 1 MiB by default. */
  readonly bytes?: number
  /** Half of the response is sent first. */
  readonly midBody?: boolean
  /** Where the caller is redirected to. */
  readonly location?: string
}

interface AnyFault extends FaultMembers {
  readonly kind: string
}

interface FaultKind<Member extends keyof FaultMembers> {
  readonly takes: readonly Member[]
  /** Responds. `answer` is the correct response, empty when the operation was not performed. */
  readonly respond: (response: ServerResponse, fault: AnyFault, answer: ServiceResponse) => void
  /** Whether the operation is performed before its response goes wrong; `midBody`: if the fault says so. */
  readonly performs: boolean | 'midBody'
}

function kind<Member extends keyof FaultMembers = never>(
  takes: readonly Member[],
  respond: FaultKind<Member>['respond'],
  performs: FaultKind<Member>['performs'] = false,
): FaultKind<Member> {
  return { takes, respond, performs }
}

/** What goes wrong: each kind once, with what it takes and does. */
export const faultKinds = {
  /** Responds with a status (503) and body of its own. */
  status: kind(['status', 'body', 'headers'], respondWith(503, {})),
  /** Responds with HTTP 200, unless `status` says otherwise, and any body. */
  body: kind(['status', 'body', 'headers'], respondWith(200, '')),
  /** The page of a firewall in front, with status 520. */
  html: kind(['status'], respondWithPage),
  /** Receives the request and never responds. */
  hang: kind([], hang),
  /** Performs the operation and does not respond; with `midBody` it sends half a response. */
  acceptThenHang: kind(['midBody'], hang, true),
  /** Performs the operation, but a gateway in front responds with its own status (504) and body. */
  acceptThenStatus: kind(['status', 'body', 'headers'], respondWith(504, {}), true),
  /** Performs the operation, but a firewall in front responds with its page, status 520. */
  acceptThenHtml: kind(['status'], respondWithPage, true),
  /** Resets the connection; with `midBody` it performs the operation, and sends half of the response. */
  reset: kind(['midBody'], reset, 'midBody'),
  /** Responds after `delayMs` (1,000) of real time; with `midBody` only the second half is late. */
  slow: kind(['delayMs', 'midBody'], respondLate, true),
  /** The correct response, padded to `bytes` (1 MiB). */
  oversize: kind(['bytes'], respondPadded, true),
  /** Redirects the caller to `location` with `status` (307). */
  redirect: kind(['location', 'status'], redirect),
  /** The correct response, compressed although nobody asked for it. */
  gzip: kind([], respondCompressed, true),
}

/** Whether a fault lets the operation be performed first. */
export function isPerformed(fault: FaultMembers & { readonly kind: keyof typeof faultKinds }): boolean {
  const { performs } = faultKinds[fault.kind]
  return performs === 'midBody' ? fault.midBody === true : performs
}

/** Hung connections are closed after this, so that a forgotten fault cannot accumulate them. */
const maxHangMs = 300_000

const page =
  '<!doctype html><title>520: unknown error</title><h1>Web server is returning an unknown error</h1>'

/** Writes a response as the service does when nothing is wrong. */
export function writeResponse(
  response: ServerResponse,
  { status, body }: ServiceResponse,
  headers = {},
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    ...headers,
  })
  response.end(text)
}

function respondWith(usual: number, absent: unknown) {
  return (response: ServerResponse, { status = usual, body, headers }: FaultMembers) => {
    // Null is a body too.
    writeResponse(response, { status, body: body === undefined ? absent : body }, headers)
  }
}

function respondWithPage(response: ServerResponse, { status = 520 }: FaultMembers): void {
  writeResponse(response, { status, body: page }, { 'Content-Type': 'text/html' })
}

function hang(response: ServerResponse, { midBody }: FaultMembers, answer: ServiceResponse): void {
  if (midBody) writeHalf(response, answer)
  later(response, maxHangMs, () => response.destroy())
}

function reset(response: ServerResponse, { midBody }: FaultMembers, answer: ServiceResponse): void {
  const end = () => response.socket?.resetAndDestroy()
  if (midBody) writeHalf(response, answer, end)
  else end()
}

function respondLate(
  response: ServerResponse,
  { delayMs = 1_000, midBody }: FaultMembers,
  answer: ServiceResponse,
): void {
  const rest = midBody ? writeHalf(response, answer) : undefined
  later(response, delayMs, () => {
    if (rest === undefined) writeResponse(response, answer)
    else response.end(rest)
  })
}

function respondPadded(
  response: ServerResponse,
  { bytes = 1_048_576 }: FaultMembers,
  { status, body }: ServiceResponse,
): void {
  writeResponse(response, { status, body: JSON.stringify(body).padEnd(bytes, ' ') })
}

function redirect(response: ServerResponse, { location = '/', status = 307 }: FaultMembers): void {
  writeResponse(response, { status, body: '' }, { Location: location })
}

function respondCompressed(
  response: ServerResponse,
  _fault: FaultMembers,
  { status, body }: ServiceResponse,
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
  response.end(gzipSync(JSON.stringify(body)))
}

/** Sends the head and half of the body. Returns the other half. */
function writeHalf(response: ServerResponse, { status, body }: ServiceResponse, then?: () => void): Buffer {
  const whole = Buffer.from(JSON.stringify(body))
  const half = Math.floor(whole.length / 2)
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': whole.length })
  response.write(whole.subarray(0, half), then)
  return whole.subarray(half)
}

function later(response: ServerResponse, ms: number, act: () => void): void {
  const timer = setTimeout(act, ms)
  response.on('close', () => clearTimeout(timer))
}
