import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ServiceFault } from '../../../src/tools/testing/index.js'
import { listening } from '../../listening.js'

/** What a stub answers: HTTP status and JSON. */
type Reply = readonly [httpStatus: number, json: object]

export interface CodeService {
  readonly baseUrl: string
  /** Every request as it came: method and path, body. */
  readonly requests: { readonly line: string; readonly body: string }[]
  readonly fail: (fault: ServiceFault | undefined) => void
  readonly busy: (isBusy: boolean) => void
  readonly end: (destination: string) => void
  readonly codeFor: (destination: string) => string
  readonly sendsTo: (destination: string) => number
  close(): Promise<void>
}

interface Verification {
  readonly id: string
  readonly to: string
  readonly code: string
}

/** Answers one request of a service; `send` files a new code, `find` what was filed. */
export type Play = (
  path: string,
  body: string,
  codes: {
    send(to: string): Verification
    find(id: string): Verification | undefined
    /** The code of this number that has not ended. */
    liveOf(to: string): Verification | undefined
    end(id: string): void
  },
  method: string,
) => Reply

/** A stub of a service for codes on loopback. */
export async function startCodeService(play: Play): Promise<CodeService> {
  const requests: CodeService['requests'] = []
  const verifications: Verification[] = []
  const ended = new Set<string>()
  let fault: ServiceFault | undefined
  let isBusy = false

  function answer(req: IncomingMessage, res: ServerResponse, body: string): void {
    const path = req.url ?? ''
    requests.push({ line: `${req.method} ${path}`, body })
    if (fault === 'hang') return
    if (fault === 'cut-off') {
      res.writeHead(200, { 'content-length': '9' }).write('{')
      res.destroy()
      return
    }
    if (isBusy) {
      res.writeHead(429, { 'content-type': 'application/json' })
      res.end(JSON.stringify({ code: 20429, title: 'Rate Limit Hit' }))
      return
    }
    const codes: Parameters<Play>[2] = {
      send(to) {
        // A code that nobody guesses right by chance, and another one for each send.
        const verification = {
          id: `id-${verifications.length}`,
          to,
          code: String(482_913 + verifications.length),
        }
        verifications.push(verification)
        return verification
      },
      find: (id) => verifications.find((verification) => verification.id === id && !ended.has(id)),
      liveOf: (to) =>
        verifications.find((verification) => verification.to === to && !ended.has(verification.id)),
      end: (id) => void ended.add(id),
    }
    const [httpStatus, json] = play(path, body, codes, req.method ?? '')
    if (fault === 'error-page')
      res.writeHead(200, { 'content-type': 'text/html' }).end('<html>approved</html>')
    else {
      res.writeHead(httpStatus, { 'content-type': 'application/json' })
      res.end(httpStatus === 204 ? '' : JSON.stringify(json))
    }
  }

  const { origin, close } = await listening(async (req, res) => answer(req, res, await text(req)))
  return {
    baseUrl: origin,
    requests,
    fail: (next) => {
      fault = next
    },
    busy: (next) => {
      isBusy = next
    },
    end(destination) {
      for (const { id, to } of verifications) if (destination.endsWith(to)) ended.add(id)
    },
    codeFor: (destination) => verifications.findLast(({ to }) => destination.endsWith(to))?.code ?? '',
    sendsTo: (destination) =>
      requests.filter(({ body }) => decodeURIComponent(body).includes(destination.slice(1))).length,
    close,
  }
}

const twilioChannels = ['sms', 'call', 'email', 'whatsapp', 'sna', 'rcs']

/** As Twilio documents Verify: 201 with a sid, then `approved` or `pending`. */
export const twilio: Play = (path, body, { send, find }) => {
  const params = new URLSearchParams(body)
  if (path.endsWith('/Verifications')) {
    const [to, channel] = [params.get('To') ?? '', params.get('Channel') ?? '']
    if (!twilioChannels.includes(channel)) return [400, { code: 60200, status: 400 }]
    return [201, { sid: send(to).id, to, channel, status: 'pending', valid: false }]
  }
  const verification = find(params.get('VerificationSid') ?? '')
  if (verification === undefined) return [404, { code: 20404, status: 404 }]
  const approved = verification.code === params.get('Code')
  return [200, { sid: verification.id, status: approved ? 'approved' : 'pending', valid: approved }]
}

/** As Vonage documents Verify v2: one request of a number at a time, until it is completed or cancelled. */
export const vonage: Play = (path, body, { send, find, liveOf, end }, method) => {
  const { workflow, code } = body === '' ? {} : JSON.parse(body)
  if (path === '/v2/verify') {
    if (liveOf(workflow[0].to)) return [409, { title: 'Conflict' }]
    return [202, { request_id: send(workflow[0].to).id }]
  }
  const [id = '', next] = path.replace('/v2/verify/', '').split('/')
  const verification = find(id)
  if (verification === undefined) return [404, { title: 'Not Found' }]
  // No step is left.
  if (next !== undefined) return [409, { title: 'Conflict' }]
  if (method === 'POST' && verification.code !== code) return [400, { title: 'Invalid Code' }]
  end(id)
  return method === 'DELETE' ? [204, {}] : [200, { request_id: id, status: 'completed' }]
}
