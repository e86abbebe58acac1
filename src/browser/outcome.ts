import type { Answer, Mount } from './mount.js'

// The routes are not the only ones to answer: after the right code an onVerified may redirect or respond by itself, and
// in place of any answer comes that of a proxy or the page of a Wi-Fi network.

/** Whether a response says no. The redirect of an onVerified is not `ok` either. */
export const isRefusal = ({ ok, type }: Response): boolean => !ok && type !== 'opaqueredirect'

/**
 * Whether a screen says that the proof was given already. Told by its text: an app with a look of its own may allow
 * nobody to parse it (Trusted Types).
 */
export function saysDone(html: unknown): boolean {
  return String(html).includes(' data-page="done"')
}

/** Whether the proof was given. Of what does not say so, the page knows. */
export async function isProven({ body }: Answer, page: string, mount: Mount): Promise<boolean> {
  if (body.verified) return true
  const { body: shown } = await mount.get(page)
  return saysDone(shown.html)
}

/** What an answer leads to: its own screen, that of a code which was sent, or none. */
export async function nextAfter(answer: Answer, page: string, mount: Mount): Promise<Answer | 'proven'> {
  const { response, body } = answer
  if (isRefusal(response) || body.html !== undefined) return answer
  const { challenge } = body
  if (challenge !== undefined) return mount.get(challenge.channel === 'app' ? `${page}&method=app` : page)
  return (await isProven(answer, page, mount)) ? 'proven' : answer
}
