import { encoded, type RehearsalRequest, type RehearsalResponse, type Wire } from './wire.js'

/** A browser from the view of the app: it stores cookies and sends its origin, but runs no script. */
export interface RehearsalAgent {
  /** Origin of the app, such as `http://127.0.0.1:3000`. */
  readonly origin: string
  /** Headers of every request, such as a bearer token. */
  readonly headers: Record<string, string>
  /** Stored cookies, by name. */
  readonly cookies: ReadonlyMap<string, string>
  /** Sends a request and follows no redirect. Asks for JSON unless `headers` differ. */
  send(request: RehearsalRequest): Promise<RehearsalResponse>
  /** Opens a page or asks for JSON. */
  get(path: string, headers?: RehearsalRequest['headers']): Promise<RehearsalResponse>
  /** Posts an object as JSON, `URLSearchParams` as a form. */
  post(path: string, body?: unknown, headers?: RehearsalRequest['headers']): Promise<RehearsalResponse>
  /** Follows redirects within the site, and returns the last response. */
  follow(response: RehearsalResponse): Promise<RehearsalResponse>
}

/** Further operations of a browser, for attacks. */
export interface Agent extends RehearsalAgent {
  /** Responses so far, also to the browser that this one is a copy of. */
  readonly answers: readonly RehearsalResponse[]
  /** Received `Set-Cookie` headers, the newest of each name. */
  readonly setCookies: ReadonlyMap<string, string>
  /** Returns a new browser with a copy of the current cookies, optionally without some of them. */
  copy(without?: readonly string[]): Agent
}

export interface AgentOptions {
  /** Called with every response, and the responses to this browser so far. */
  readonly onResponse?: (response: RehearsalResponse, answers: readonly RehearsalResponse[]) => void
  /** Changes every request before it is sent. */
  readonly alter?: (request: RehearsalRequest) => RehearsalRequest
}

const maxRedirects = 10

export function createAgent(wire: Wire, options: AgentOptions = {}, from?: Agent): Agent {
  const cookies = new Map(from?.cookies)
  const setCookies = new Map(from?.setCookies)
  const answers: RehearsalResponse[] = [...(from?.answers ?? [])]
  const always: Record<string, string> = { ...from?.headers }
  const { onResponse, alter = (request) => request } = options

  function keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';')
    const name = pair.slice(0, pair.indexOf('=')).trim()
    setCookies.set(name, line)
    if (attributes.some(endsCookie)) cookies.delete(name)
    else cookies.set(name, pair.slice(pair.indexOf('=') + 1))
  }

  async function send(given: RehearsalRequest): Promise<RehearsalResponse> {
    const request = alter(given)
    const standard = standardHeaders(request, wire.origin, cookies)
    // The package receives requests for JSON, even if the plan sets another `accept` for the app.
    const headers = { ...standard, ...always, accept: standard.accept, ...request.headers }
    // An empty value removes a standard header.
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
    const response = await wire.send({ ...request, headers: sent })
    response.headers['set-cookie']?.forEach(keep)
    answers.push(response)
    onResponse?.(response, answers)
    return response
  }

  const agent: Agent = {
    origin: wire.origin,
    headers: always,
    cookies,
    answers,
    setCookies,
    send,
    get: (path, headers) => send({ method: 'GET', path, ...(headers && { headers }) }),
    post: (path, body, headers) => send({ method: 'POST', path, body, ...(headers && { headers }) }),
    async follow(response) {
      let last = response
      for (let hops = 0; hops < maxRedirects; hops += 1) {
        const target = last.status >= 300 && last.status < 400 ? targetOf(last, wire.origin) : undefined
        if (target?.origin !== wire.origin) break
        const { accept = 'text/html' } = last.request.headers ?? {}
        last = await agent.get(target.pathname + target.search, { accept })
      }
      return last
    },
    copy(without = []) {
      const kept = [...cookies].filter(([name]) => !without.includes(name))
      return createAgent(wire, options, { ...agent, cookies: new Map(kept) })
    },
  }
  return agent
}

function endsCookie(attribute: string): boolean {
  const [name = '', value = ''] = attribute.trim().split('=')
  if (/^max-age$/i.test(name)) return Number(value) <= 0
  return /^expires$/i.test(name) && Date.parse(value) <= Date.now()
}

function standardHeaders(
  request: RehearsalRequest,
  origin: string,
  cookies: ReadonlyMap<string, string>,
): Record<string, string> & { readonly accept: string } {
  const { text, type } = encoded(request.body)
  return {
    accept: 'application/json',
    'sec-fetch-site': 'same-origin',
    ...(!/^(GET|HEAD)$/.test(request.method) && { origin }),
    ...(type && { 'content-type': type }),
    ...(text !== undefined && { 'content-length': String(Buffer.byteLength(text)) }),
    ...(cookies.size > 0 && { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }),
  }
}

/** Returns the URL to which a response redirects a browser, or undefined. */
function targetOf({ headers: { location }, request }: RehearsalResponse, origin: string): URL | undefined {
  const base = origin + request.path
  return location !== undefined && URL.canParse(location, base) ? new URL(location, base) : undefined
}

/** Returns whether a response leads a browser to another site. */
export function leavesSite(response: RehearsalResponse, origin: string): boolean {
  return response.headers.location !== undefined && targetOf(response, origin)?.origin !== origin
}
