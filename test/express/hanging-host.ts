import { type ClientRequest, request } from 'node:http'
import type { Browser } from './browser.js'
import { type Host, startHost } from './kit.js'

/** One for all requests, as that of a pool that has run dry: it keeps alive whatever waits for it. */
const never = new Promise<never>(() => undefined)

/** A host whose `phone` never settles until it is told to answer, and every request that has asked for it. */
export async function startHanging() {
  const asked: WeakRef<object>[] = []
  let left = 0
  let hangs = true
  const host = await startHost({
    options: {
      phone: (req) => {
        asked.push(new WeakRef(req))
        req.res?.once('close', () => {
          left += 1
        })
        return hangs ? never : undefined
      },
    },
  })
  const answer = () => {
    hangs = false
  }
  return { host, asked, left: () => left, answer }
}

/** A start that nobody waits for. */
export function open({ url }: Host, { cookies }: Browser): ClientRequest {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const sent = request(`${url}/two-factor/start`, { method: 'POST', headers: { cookie }, agent: false })
  sent.on('error', () => undefined).end()
  return sent
}
