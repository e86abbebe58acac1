import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Fault } from '../faults.js'
import type { ServiceResponse } from '../service/responder.js'

/** Hung connections are closed after this, so that a forgotten fault cannot accumulate them. */
const maxHangMs = 300_000

const page =
  '<!doctype html><title>520: unknown error</title><h1>Web server is returning an unknown error</h1>'

/** Whether the operation is performed before its response goes wrong. */
export function isPerformedFirst(fault: Fault): boolean {
  return (
    fault.kind.startsWith('acceptThen') ||
    ['slow', 'oversize', 'gzip'].includes(fault.kind) ||
    (fault.kind === 'reset' && fault.midBody === true)
  )
}

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

/** Applies a fault to a response. `answer` is the correct one, empty when the operation was not performed. */
export function applyFault(response: ServerResponse, fault: Fault, answer: ServiceResponse): void {
  switch (fault.kind) {
    case 'status':
      writeResponse(response, { status: fault.status ?? 503, body: bodyOf(fault, {}) }, fault.headers)
      return
    case 'body':
      writeResponse(response, { status: fault.status ?? 200, body: bodyOf(fault, '') }, fault.headers)
      return
    case 'acceptThenStatus':
      writeResponse(response, { status: fault.status ?? 504, body: bodyOf(fault, {}) }, fault.headers)
      return
    case 'html':
    case 'acceptThenHtml':
      writeResponse(response, { status: fault.status ?? 520, body: page }, { 'Content-Type': 'text/html' })
      return
    case 'redirect':
      writeResponse(response, { status: fault.status ?? 307, body: '' }, { Location: fault.location ?? '/' })
      return
    case 'oversize': {
      const filled = JSON.stringify(answer.body).padEnd(fault.bytes ?? 1_048_576, ' ')
      writeResponse(response, { status: answer.status, body: filled })
      return
    }
    case 'gzip': {
      const packed = gzipSync(JSON.stringify(answer.body))
      response.writeHead(answer.status, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
      response.end(packed)
      return
    }
    case 'hang':
      destroyAfter(response, maxHangMs)
      return
    case 'acceptThenHang':
      if (fault.midBody) writeHalf(response, answer)
      destroyAfter(response, maxHangMs)
      return
    case 'reset':
      if (fault.midBody) writeHalf(response, answer, () => response.socket?.resetAndDestroy())
      else response.socket?.resetAndDestroy()
      return
    case 'slow': {
      const rest = fault.midBody ? writeHalf(response, answer) : undefined
      const timer = setTimeout(
        () => (rest === undefined ? writeResponse(response, answer) : response.end(rest)),
        fault.delayMs ?? 1_000,
      )
      response.on('close', () => clearTimeout(timer))
      return
    }
  }
}

/** Null is a body too. */
function bodyOf({ body }: { readonly body?: unknown }, absent: unknown): unknown {
  return body === undefined ? absent : body
}

/** Sends the head and half of the body. Returns the other half. */
function writeHalf(response: ServerResponse, { status, body }: ServiceResponse, then?: () => void): Buffer {
  const whole = Buffer.from(JSON.stringify(body))
  const half = Math.floor(whole.length / 2)
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': whole.length })
  response.write(whole.subarray(0, half), then)
  return whole.subarray(half)
}

function destroyAfter(response: ServerResponse, ms: number): void {
  const timer = setTimeout(() => response.destroy(), ms)
  response.on('close', () => clearTimeout(timer))
}
