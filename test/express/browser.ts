import supertest from 'supertest'
import { hiddenFields, rememberShown } from '../what-was-shown.js'

export { hiddenFields } from '../what-was-shown.js'

/** What came back, with the body read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; undefined when it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly json: any
  /** The status and the code of a problem document. */
  readonly refusal: readonly [status: number, code: string | undefined]
  /** Where a redirect leads; empty when there is none. */
  readonly location: string
  /** What the first form of a page brings along. */
  readonly fields: Record<string, string>
}

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * supertest with a jar of its own: that of its agent keeps cookies that are Secure from a server without TLS. It holds
 * cookies like a browser and follows no redirect. Asks for JSON unless told otherwise. A code goes out with the
 * id of the challenge that was shown last, unless the fields say themselves what it is for.
 */
export class Browser {
  readonly cookies = new Map<string, string>()
  #memory = rememberShown()
  constructor(
    readonly url: string,
    /** Sent with every request. */
    readonly always: Readonly<Record<string, string>> = {},
  ) {}

  /** A request of this browser, to be sent as it is or in another way. */
  request(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): InstanceType<typeof supertest.Test> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = { accept: 'application/json', ...(cookie && { cookie }), ...this.always, ...headers }
    return new supertest.Test(this.url, method, path).set(sent)
  }

  async send(path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answer> {
    const response = await this.request(method, path, headers).send(body)
    const { status, text = '' } = response
    const told = new Headers()
    for (const [name, values] of Object.entries(response.headers)) {
      for (const value of [values].flat()) told.append(name, value)
    }
    for (const set of told.getSetCookie()) {
      const [pair = ''] = set.split(';')
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    const location = told.get('location') ?? ''
    this.#memory.look(text, location)
    const json = response.type.endsWith('json') ? response.body : undefined
    return {
      status,
      headers: told,
      text,
      json,
      refusal: [status, json?.code],
      location,
      fields: hiddenFields(text),
    }
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send(path, { headers })
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    if (body === undefined) return this.send(path, { method: 'POST', headers })
    const json = { 'content-type': 'application/json', ...headers }
    return this.send(path, {
      method: 'POST',
      headers: json,
      body: JSON.stringify(this.#memory.named(path, body)),
    })
  }

  /** Asks for a code at sign-in. */
  start(body: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post('/two-factor/start', body, headers)
  }

  /** Types a code at sign-in. */
  verify(code: unknown, more: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.post('/two-factor/verify', { code, ...more }, headers)
  }

  /** A body as it stands, of whatever type. */
  postRaw(path: string, type: string, body: string): Promise<Answer> {
    return this.send(path, { method: 'POST', headers: { 'content-type': type }, body })
  }

  /** As a form on a page does. */
  submit(
    path: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.send(path, {
      method: 'POST',
      headers: {
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        ...headers,
      },
      body: new URLSearchParams(this.#memory.named(path, fields)).toString(),
    })
  }

  /** As somebody who opens a page. */
  open(path: string): Promise<Answer> {
    return this.get(path, { accept: 'text/html' })
  }

  /** Another browser that holds a copy of the cookies as they are now, perhaps at another process of the app. */
  copy(url = this.url): Browser {
    const copy = new Browser(url, this.always)
    copy.#memory = rememberShown(this.#memory.shown)
    for (const [name, value] of this.cookies) copy.cookies.set(name, value)
    return copy
  }
}
