/** A program that keeps its cookie, as far as the examples need one. */
export interface Answer {
  readonly status: number
  readonly location: string | null
  readonly headers: Headers
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
}

export function createVisitor(origin: string, headers: Readonly<Record<string, string>> = {}) {
  let cookie = ''
  return async (method: 'GET' | 'POST', path: string, body?: object | URLSearchParams): Promise<Answer> => {
    const form = body instanceof URLSearchParams
    const response = await fetch(new URL(path, origin), {
      method,
      redirect: 'manual',
      headers: {
        accept: form ? 'text/html' : 'application/json',
        'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
        cookie,
        ...headers,
      },
      ...(body !== undefined && { body: form ? body.toString() : JSON.stringify(body) }),
    })
    cookie = response.headers.getSetCookie()[0]?.replace(/;.*/, '') ?? cookie
    const text = await response.text()
    return {
      status: response.status,
      location: response.headers.get('location'),
      headers: response.headers,
      text,
      body: /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : {},
    }
  }
}
