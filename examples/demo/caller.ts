export type Body = Readonly<Record<string, unknown>>

export interface Call {
  readonly title: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: Body
  /** Replaces the stored cookies in this request. */
  readonly cookie?: string
  /** Expected status. */
  readonly expect: number
}

export interface Caller {
  /** Sends a request and prints it with its response. Throws if the status is not the expected one. */
  call(call: Call): Promise<Body>
  /** Stored cookies, as a header. */
  cookie(): string | undefined
}

/** Creates a client that sends JSON to the demo and stores its cookies. */
export function createCaller(origin: string, nextStep: () => number): Caller {
  const jar = new Map<string, string>()
  const kept = () => (jar.size === 0 ? undefined : [...jar].map((pair) => pair.join('=')).join('; '))

  return {
    cookie: kept,

    async call({ title, method, path, body, cookie = kept(), expect }) {
      console.log(`\n${String(nextStep()).padStart(2)}  ${title}`)
      print(method, path, ...(body === undefined ? [] : [show(body)]))
      for (const one of cookie?.split('; ') ?? []) print('    cookie', shorten(one))

      const response = await fetch(`${origin}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(cookie !== undefined && { cookie }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const answer = JSON.parse((await response.text()) || '{}') as Body
      print(String(response.status), show(answer))
      for (const setCookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(setCookie) ?? []
        jar.set(name, value)
        print('    new cookie', shorten(`${name}=${value}`))
      }
      if (response.status !== expect) throw new Error(`answered ${response.status} instead of ${expect}`)
      return answer
    },
  }
}

function print(...words: readonly string[]): void {
  console.log(`    ${words.join(' ')}`)
}

function show(body: Body): string {
  // Omits the members of a problem document (RFC 9457) that repeat its `code`.
  const { type: _type, title: _title, detail: _detail, status: _status, ...members } = body
  return JSON.stringify(members, (_member, value) => (typeof value === 'string' ? shorten(value) : value))
}

/** Shortens signed tokens, which are long and unreadable. */
function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 24)}…` : text
}
