import type { Answer, Mount } from './mount.js'

// Not only the routes respond: after a correct code, `onVerified` may redirect or respond, and a proxy or the page of a
// Wi-Fi network may respond in place of the server.

/** Returns whether a response is a refusal. The redirect of `onVerified` is not `ok` either. */
export const isRefusal = ({ ok, type }: Response): boolean => !ok && type !== 'opaqueredirect'

/**
 * Returns whether a screen shows that the code was already entered. It reads the text, because an app with its own
 * dialog may not allow scripts to parse HTML (Trusted Types).
 */
export function saysDone(html: unknown): boolean {
  return String(html).includes(' data-page="done"')
}

/** Returns whether a correct code was entered. If the response does not show it, the page does. */
export async function isProven({ body }: Answer, page: string, mount: Mount): Promise<boolean> {
  if (body.verified) return true
  const { body: shown } = await mount.get(page)
  return saysDone(shown.html)
}

/** Parameters of the pages of challenges for which nothing is sent. */
const methods: Readonly<Record<string, string>> = { app: '&method=app', passkey: '&method=any' }

/** Returns the next screen after a response: its own, that of the sent code, or none. */
export async function nextAfter(answer: Answer, page: string, mount: Mount): Promise<Answer | 'proven'> {
  const { response, body } = answer
  if (isRefusal(response) || body.html !== undefined) return answer
  const { challenge } = body
  if (challenge !== undefined) return mount.get(`${page}${methods[challenge.channel] ?? ''}`)
  return (await isProven(answer, page, mount)) ? 'proven' : answer
}
