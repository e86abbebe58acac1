export type Body = Readonly<Record<string, unknown>>

export interface Call {
  readonly title: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: Body
  /** Sent instead of the cookies that are kept. */
  readonly cookie?: string
  /** The status that the answer must have. */
  readonly expect: number
}

export interface Caller {
  /** Prints one request with its answer. Throws when the status is another than expected. */
  call(call: Call): Promise<Body>
  /** The cookies that are kept, as a header. */
  cookie(): string | undefined
}

/** A program that talks JSON to the demo and keeps its cookies. */
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
  // Problem documents (RFC 9457) say the same thing in four members: `code` is the one to branch on.
  const { type: _type, title: _title, detail: _detail, status: _status, ...members } = body
  return JSON.stringify(members, (_member, value) => (typeof value === 'string' ? shorten(value) : value))
}

/** Signed tokens are long, and nobody reads them. */
function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 24)}…` : text
}
