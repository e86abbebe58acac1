import { Browser, type Answer as Told } from '../express/browser.js'

export type Answer = Pick<Told, 'status' | 'location' | 'headers' | 'text'> & {
  /** The parsed body; empty when it is no JSON. */
  readonly body: Readonly<Record<string, unknown>>
}

/** A program that keeps its cookies. A URLSearchParams is posted as a form of a page, everything else as JSON. */
export function createVisitor(
  origin: string,
  headers: Readonly<Record<string, string>> = {},
  browser = new Browser(origin, headers),
) {
  async function visit(method: 'GET' | 'POST', to: string, body?: object | URLSearchParams): Promise<Answer> {
    const { pathname, search } = new URL(to, origin)
    const path = pathname + search
    const isForm = body instanceof URLSearchParams
    const answer = isForm
      ? await browser.submit(path, Object.fromEntries(body))
      : await (method === 'GET' ? browser.get(path) : browser.post(path, body))
    return { ...answer, body: answer.json ?? {} }
  }
  /** Another visitor with the cookies as they are now. */
  const copy = () => createVisitor(origin, headers, browser.copy())
  return Object.assign(visit, { copy })
}
