import type { CodeSend, SendResult } from 'express-two-factor'

/** Outcome: a JSON response, another response, no response, or proof that nothing was sent. */
export type Answer =
  | {
      readonly httpStatus: number
      readonly json: Readonly<Record<string, unknown>> | undefined
      /** From `Retry-After` in seconds. */
      readonly retryAfterMs?: number
    }
  | 'lost'
  | 'not-sent'

/** Errors before a connection exists, with their word in events. After other errors, the service may have acted. */
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

/** Sends one request and never rejects. A repeated send would cost money, and a repeated check an attempt. */
export async function post(url: string, request: Post): Promise<Answer> {
  const { operation, method = 'POST', headers, body = '', signal, report } = request
  report?.({ operation })
  if (signal.aborted) return 'not-sent'
  try {
    // Redirects are not followed, because they would receive number and credentials.
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
    // Only the code or title of an error, because longer texts of some services quote the number.
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

/** The page of a proxy is no response of the service, whatever its status. */
function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
