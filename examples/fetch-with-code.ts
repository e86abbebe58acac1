/** Asks the person for the code; `problem` says why the last one was not accepted. `null` gives up. */
export type AskForCode = (destination: string, problem?: string) => Promise<string | null>

interface Answer {
  readonly code?: string
  readonly requirement?: string
  readonly startUrl: string
  readonly detail?: string
  readonly challenge: { readonly destination: string }
}

/** `fetch` for pages: when a guard wants a code, asks for it and repeats the request once. */
export async function fetchWithCode(url: string, init: RequestInit, ask: AskForCode): Promise<Response> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const send = () => fetch(url, { ...init, headers: { ...headers, ...init.headers } })
  const post = (path: string, body: object) =>
    fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const read = async (answer: Response) => (await answer.clone().json()) as Answer

  const refused = await send()
  if (refused.status !== 403) return refused
  const { code, requirement, startUrl } = await read(refused)
  if (code !== 'second_factor_required') return refused

  const started = await post(startUrl, { requirement })
  if (!started.ok) return started
  const { destination } = (await read(started)).challenge
  let problem: string | undefined
  for (;;) {
    const typed = await ask(destination, problem)
    if (typed === null) return refused
    const verified = await post(startUrl.replace(/start$/, 'verify'), { code: typed })
    if (verified.ok) return send()
    // Only these two can be mended by another code.
    if (verified.status !== 400 && verified.status !== 422) return verified
    problem = (await read(verified)).detail
  }
}
