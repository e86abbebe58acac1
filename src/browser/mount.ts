/** A response of the routes, with its document. */
export interface Answer {
  readonly response: Response
  /** The JSON document; empty when something else responded, such as a proxy. */
  // biome-ignore lint/suspicious/noExplicitAny: the members depend on the route, and each reader names its own
  readonly body: any
}

/** The routes that a refused request is sent to, asked as the request itself was. */
export interface Mount {
  /** Resolves a path that the routes name. */
  url(path: string): string
  get(path: string): Promise<Answer>
  post(path: string, fields: object): Promise<Answer>
}

/**
 * @param accept Media type of the documents.
 */
export function openMount(startUrl: string, request: Request, accept: string): Mount {
  const { credentials, signal } = request
  // A bearer token, a CSRF token or a language of the app goes along.
  const headers = new Headers(request.headers)
  headers.set('accept', accept)
  headers.set('content-type', 'application/json')
  const { origin } = new URL(startUrl)

  function url(path: string): string {
    const resolved = new URL(path, startUrl)
    // What goes along is for one site (token leakage).
    if (resolved.origin !== origin) throw new TypeError(`${resolved.origin} is not the origin of ${startUrl}`)
    return resolved.href
  }

  async function ask(path: string, init: RequestInit): Promise<Answer> {
    // The routes redirect no such request, and what goes along must not follow somebody else's redirect.
    const settings: RequestInit = { headers, credentials, signal, cache: 'no-store', redirect: 'error' }
    const response = await fetch(url(path), { ...init, ...settings })
    const body = await response
      .clone()
      .json()
      .catch(() => ({}))
    return { response, body }
  }

  return {
    url,
    get: (path) => ask(path, {}),
    post: (path, fields) => ask(path, { method: 'POST', body: JSON.stringify(fields) }),
  }
}
