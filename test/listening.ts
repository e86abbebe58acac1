import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { selfSigned } from './self-signed.js'

export interface Listening {
  readonly origin: string
  close(): Promise<void>
}

/**
 * An app, or any other handler of requests, on a free port of loopback.
 *
 * @param scheme With `https`, browsers must accept a certificate that no authority has signed.
 */
export async function listening(
  handler: RequestListener,
  name = '127.0.0.1',
  scheme: 'http' | 'https' = 'http',
): Promise<Listening> {
  // On a busy machine a connection can look idle to the server while a request is on its way to it.
  const settings = { keepAliveTimeout: 0 }
  const server =
    scheme === 'http'
      ? createServer(settings, handler)
      : createSecureServer({ ...settings, ...selfSigned }, handler)
  // A thousand at once: what a busy machine has not accepted yet waits, in place of being reset.
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve))
  return {
    origin: `${scheme}://${name}:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
