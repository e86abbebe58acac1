import { type ClientRequest, request } from 'node:http'
import type { Request } from 'express'
import { expressSession, type TwoFactorOptions } from '../../src/index.js'
import type { Browser } from './browser.js'
import { type Host, startHost } from './kit.js'

/** One for all requests, as that of a pool that has run dry: it keeps alive whatever waits for it. */
const never = new Promise<never>(() => undefined)

/** A host one of whose functions never settles until it is told to answer, and every request that has asked for it. */
export async function startHanging(what: 'phone' | 'session.keep' = 'phone') {
  const asked: WeakRef<object>[] = []
  let left = 0
  let hangs = true
  const hang = (req: Request) => {
    asked.push(new WeakRef(req))
    req.res?.once('close', () => {
      left += 1
    })
    return hangs ? never : undefined
  }
  const options: Partial<TwoFactorOptions> =
    what === 'phone' ? { phone: hang } : { session: { ...expressSession(), keep: hang } }
  const host = await startHost({ options })
  const answer = () => {
    hangs = false
  }
  return { host, asked, left: () => left, answer }
}

/** A start, or another request, that nobody waits for. */
export function open(
  { url }: Host,
  { cookies }: Browser,
  method = 'POST',
  path = '/two-factor/start',
): ClientRequest {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const sent = request(url + path, { method, headers: { cookie }, agent: false })
  sent.on('error', () => undefined).end()
  return sent
}
