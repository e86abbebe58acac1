/** A response of the routes, with its document. */
export interface Answer {
  readonly response: Response
  /** The JSON document. Empty if something else responded, such as `onVerified` or a proxy. */
  // biome-ignore lint/suspicious/noExplicitAny: the members depend on the route, and each reader names its own
  readonly body: any
}

/** The routes for a refused request. Requests to them carry its headers and credentials. */
export interface Mount {
  /** Absolute URL with a slash at the end. */
  readonly url: string
  /** Returns an address of the routes as an absolute URL, or undefined if it leads elsewhere. */
  below(path: string): string | undefined
  /** Loads a page with its screen. */
  get(path: string): Promise<Answer>
  post(path: string, fields: object): Promise<Answer>
}

/** Media type of documents with the screen to show, in the language and look of the pages. */
export const dialogDocument = 'application/json;profile=dialog'

/**
 * Creates the error for a response of another server, such as the page of a Wi-Fi network, which must not pass for one
 * of the routes.
 */
export function noRoutes(url: string): TypeError {
  return new TypeError(`fetchWithCode: ${url} did not respond as the routes do; nothing was sent again`)
}

/**
 * @param accept Media type of the documents that forms are answered with.
 */
export function openMount(startUrl: string, request: Request, accept: string): Mount {
  const { credentials, signal } = request
  const mount = new URL('.', startUrl)

  function below(path: string): string | undefined {
    if (!URL.canParse(path, mount)) return undefined
    const { origin, pathname, href } = new URL(path, mount)
    return origin === mount.origin && `${pathname}/`.startsWith(mount.pathname) ? href : undefined
  }

  async function ask(path: string, wanted: string, init: RequestInit): Promise<Answer> {
    const url = below(path)
    // The credentials are for the routes only, and must not follow a redirect (token leakage).
    if (url === undefined) throw new TypeError(`fetchWithCode: ${path} is not below ${mount.href}`)
    // Includes a bearer token, a CSRF token or a language of the app.
    const headers = new Headers(request.headers)
    headers.set('accept', wanted)
    headers.set('content-type', 'application/json')
    const settings: RequestInit = { headers, credentials, signal, cache: 'no-store', redirect: 'manual' }
    const response = await fetch(url, { ...init, ...settings })
    const body = await response
      .clone()
      .json()
      .catch(() => ({}))
    return { response, body }
  }

  return {
    url: mount.href,
    below,
    get: (path) => ask(path, dialogDocument, {}),
    post: (path, fields) => ask(path, accept, { method: 'POST', body: JSON.stringify(fields) }),
  }
}
