import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Listening {
  readonly origin: string
  close(): Promise<void>
}

/** An app, or any other handler of requests, on a free port of loopback. */
export async function listening(handler: RequestListener, name = '127.0.0.1'): Promise<Listening> {
  // On a busy machine a connection can look idle to the server while a request is on its way to it.
  const server = createServer({ keepAliveTimeout: 0 }, handler)
  // A thousand at once: what a busy machine has not accepted yet waits, in place of being reset.
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve))
  return {
    origin: `http://${name}:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
