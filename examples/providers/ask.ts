/** What came back: a JSON answer, one that is none, nothing at all, or proof that nothing was sent. */
export type Answer =
  | { readonly httpStatus: number; readonly json: Readonly<Record<string, unknown>> | undefined }
  | 'lost'
  | 'not-sent'

/** Errors of a connection that never came to be. After any other, the service may have acted. */
const beforeSending = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']

/** Posts once and never rejects. A repeated send would cost money, a repeated check a guess. */
export async function post(
  url: string,
  { headers, body, signal }: { headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<Answer> {
  if (signal.aborted) return 'not-sent'
  try {
    // Followed, a redirect would carry number and credentials to wherever it points.
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' })
    return { httpStatus: response.status, json: objectIn(await response.text()) }
  } catch (error) {
    const { code } = Object(Object(error).cause)
    return beforeSending.includes(code) ? 'not-sent' : 'lost'
  }
}

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
