/** A response of the routes, with its document. */
export interface Answer {
  readonly response: Response
  /** The JSON document; `{ verified: true }` for a redirect, empty when something else responded, such as a proxy. */
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

/** A page of a sign-in or of a Wi-Fi network must not pass for a response of the routes. */
export function noRoutes(startUrl: string): TypeError {
  return new TypeError(`fetchWithCode: ${startUrl} did not respond as the routes do; nothing was sent again`)
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
    // What goes along must follow nobody's redirect (token leakage).
    const settings: RequestInit = { headers, credentials, signal, cache: 'no-store', redirect: 'manual' }
    const response = await fetch(url(path), { ...init, ...settings })
    // The routes redirect no such request, an onVerified may. The guard decides when the request is repeated.
    if (response.type === 'opaqueredirect') return { response, body: { verified: true } }
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
