import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { ServiceResponse } from './service/responder.js'

/** Members of faults. `faultKinds` lists the members of each kind. */
export interface FaultMembers {
  /** HTTP status. */
  readonly status?: number
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown
  /** Further header lines. */
  readonly headers?: Readonly<Record<string, string>>
  /** Real time, in ms. Default: 1,000. */
  readonly delayMs?: number
  /** Size of the body. Default: 1 MiB. */
  readonly bytes?: number
  /** If true, half of the response is sent first. */
  readonly midBody?: boolean
  /** Target of the redirect. */
  readonly location?: string
}

interface AnyFault extends FaultMembers {
  readonly kind: string
}

interface FaultKind {
  /** `instead` of the operation, `after` it, or after it if the fault has `midBody`. */
  readonly when: 'instead' | 'after' | 'midBody'
  readonly takes: readonly (keyof FaultMembers)[]
  /** Sends the response. `answer` is the correct response, empty if the operation was not performed. */
  readonly respond: (response: ServerResponse, fault: AnyFault, answer: ServiceResponse) => void
}

/** The only table of faults: each kind with its members and its effect. */
export const faultKinds = {
  /** Responds with its own status (503) and body. */
  status: { when: 'instead', takes: ['status', 'body', 'headers'], respond: respondWith(503, {}) },
  /** Responds with HTTP 200, unless `status` differs, and any body. */
  body: { when: 'instead', takes: ['status', 'body', 'headers'], respond: respondWith(200, '') },
  /** Responds with a firewall's page, status 520. */
  html: { when: 'instead', takes: ['status'], respond: respondWithPage },
  /** Receives the request and never responds. */
  hang: { when: 'instead', takes: [], respond: hang },
  /** Performs the operation and does not respond; with `midBody` it sends half a response. */
  acceptThenHang: { when: 'after', takes: ['midBody'], respond: hang },
  /** Performs the operation, but a gateway in front responds with its own status (504) and body. */
  acceptThenStatus: { when: 'after', takes: ['status', 'body', 'headers'], respond: respondWith(504, {}) },
  /** Performs the operation, but a firewall in front responds with its page, status 520. */
  acceptThenHtml: { when: 'after', takes: ['status'], respond: respondWithPage },
  /** Resets the connection; with `midBody` it performs the operation, and sends half of the response. */
  reset: {
    when: 'midBody',
    takes: ['midBody'],
    respond(response, { midBody }, answer) {
      const end = () => response.socket?.resetAndDestroy()
      if (midBody) writeHalf(response, answer, end)
      else end()
    },
  },
  /** Responds after `delayMs` (1,000) of real time; with `midBody` only the second half is late. */
  slow: {
    when: 'after',
    takes: ['delayMs', 'midBody'],
    respond(response, { delayMs = 1_000, midBody }, answer) {
      const rest = midBody ? writeHalf(response, answer) : undefined
      later(response, delayMs, () => {
        if (rest === undefined) writeResponse(response, answer)
        else response.end(rest)
      })
    },
  },
  /** Responds correctly, padded to `bytes` (1 MiB). */
  oversize: {
    when: 'after',
    takes: ['bytes'],
    respond(response, { bytes = 1_048_576 }, { status, body }) {
      writeResponse(response, { status, body: JSON.stringify(body).padEnd(bytes, ' ') })
    },
  },
  /** Redirects the caller to `location` with `status` (307). */
  redirect: {
    when: 'instead',
    takes: ['location', 'status'],
    respond(response, { location = '/', status = 307 }) {
      writeResponse(response, { status, body: '' }, { Location: location })
    },
  },
  /** Responds correctly, but compressed without a request for it. */
  gzip: {
    when: 'after',
    takes: [],
    respond(response, _fault, { status, body }) {
      response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
      response.end(gzipSync(JSON.stringify(body)))
    },
  },
} as const satisfies Readonly<Record<string, FaultKind>>

/** Returns whether the operation is performed before the fault. */
export function isPerformed(fault: FaultMembers & { readonly kind: keyof typeof faultKinds }): boolean {
  const { when } = faultKinds[fault.kind]
  return when === 'after' || (when === 'midBody' && fault.midBody === true)
}

/** Hung connections are closed after this time, so that a forgotten fault cannot accumulate them. */
const maxHangMs = 300_000

const page =
  '<!doctype html><title>520: unknown error</title><h1>Web server is returning an unknown error</h1>'

/** Writes a response without a fault. */
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
    // Null is also a body.
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
