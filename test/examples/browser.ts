import { rememberShown } from '../what-was-shown.js'

export interface Answer {
  readonly status: number
  readonly location: string | null
  readonly headers: Headers
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
}

/** A program that keeps its cookies, as far as the examples need any. */
export function createVisitor(
  origin: string,
  headers: Readonly<Record<string, string>> = {},
  jar = new Map<string, string>(),
  memory = rememberShown(),
) {
  const visit = async (
    method: 'GET' | 'POST',
    path: string,
    body?: object | URLSearchParams,
  ): Promise<Answer> => {
    const form = body instanceof URLSearchParams
    const response = await fetch(new URL(path, origin), {
      method,
      redirect: 'manual',
      headers: {
        accept: form ? 'text/html' : 'application/json',
        'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
        cookie: [...jar.values()].join('; '),
        ...headers,
      },
      ...(body !== undefined && { body: form ? body.toString() : JSON.stringify(memory.named(path, body)) }),
    })
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';')
      const name = pair.slice(0, pair.indexOf('='))
      if (pair === `${name}=`) jar.delete(name)
      else jar.set(name, pair)
    }
    const text = await response.text()
    memory.look(text, response.headers.get('location'))
    return {
      status: response.status,
      location: response.headers.get('location'),
      headers: response.headers,
      text,
      body: /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : {},
    }
  }
  /** Another visitor with the cookies as they are now. */
  const copy = () => createVisitor(origin, headers, new Map(jar), rememberShown(memory.shown))
  return Object.assign(visit, { copy })
}
