import type { CodeSend, SendResult } from 'express-two-factor'

/** What came back: a JSON answer, one that is none, nothing at all, or proof that nothing was sent. */
export type Answer =
  | {
      readonly httpStatus: number
      readonly json: Readonly<Record<string, unknown>> | undefined
      /** From `Retry-After` in seconds. */
      readonly retryAfterMs?: number
    }
  | 'lost'
  | 'not-sent'

/** Errors of a connection that never came to be, and their word in events. After any other, the service may have acted. */
const beforeSending = new Map([
  ['ECONNREFUSED', 'refused'],
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
])

export interface Post extends Pick<CodeSend, 'signal' | 'report'> {
  /** Names the request in events and traces. */
  readonly operation: string
  readonly method?: 'POST' | 'DELETE'
  readonly headers: Record<string, string>
  readonly body?: string
}

/** Asks once and never rejects. A repeated send would cost money, a repeated check a guess. */
export async function post(url: string, request: Post): Promise<Answer> {
  const { operation, method = 'POST', headers, body = '', signal, report } = request
  report?.({ operation })
  if (signal.aborted) return 'not-sent'
  try {
    // Followed, a redirect would carry number and credentials to wherever it points.
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== '' && { body }),
      signal,
      redirect: 'manual',
    })
    const seconds = response.headers.get('retry-after') ?? ''
    const wait = /^\d{1,9}$/.test(seconds) && { retryAfterMs: Number(seconds) * 1_000 }
    const answer = { httpStatus: response.status, json: objectIn(await response.text()), ...wait }
    // Of an error its code or title only: the longer texts of some services quote the number.
    if (!response.ok) report?.({ reason: 'answer', providerError: errorIn(answer.json) })
    report?.({ httpStatus: response.status })
    return answer
  } catch (error) {
    const { code } = Object(Object(error).cause)
    report?.({ reason: beforeSending.get(code) ?? (signal.aborted ? 'timeout' : 'connection') })
    return beforeSending.has(code) ? 'not-sent' : 'lost'
  }
}

/** The service sends nothing to this number for now. */
export function later({ retryAfterMs }: { readonly retryAfterMs?: number }): SendResult {
  return { result: 'later', ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

const errorIn = (json: Readonly<Record<string, unknown>> = {}) =>
  String(json.code ?? json.title ?? '') || undefined

export function basicAuth(user: string, password: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

/** The page of a proxy is no answer of the service, whatever its status. */
function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
