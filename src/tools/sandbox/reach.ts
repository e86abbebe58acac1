import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { defaultHost, type SandboxSettings } from './options.js'

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']
/** Addresses that stand for every interface of the machine. */
const wildcards = ['0.0.0.0', '::']

/** Where a sandbox is reached, once its port is known. */
export function reachOf({ host, publicUrl, basePath, allowedHosts }: SandboxSettings, port: number) {
  const name = wildcards.includes(host) ? '127.0.0.1' : isIP(host) === 6 ? `[${host}]` : host
  // What is shown, and what short URLs begin with.
  const origin = publicUrl === undefined ? `http://${name}:${port}` : new URL(publicUrl).origin
  // An IP address cannot be rebound, so the one listened on is as safe as the loopback names.
  const own = [...loopbackNames, name].map((one) => `${one}:${port}`)
  const published = publicUrl === undefined ? [] : [new URL(publicUrl).host]
  const all = [...own, ...published, ...allowedHosts].map((one) => one.toLowerCase())
  // In a Host header: with a port that very port, without one any.
  return { origin, baseUrl: `${origin}${basePath}`, allowedHosts: [...new Set(all)] }
}

/** What a program needs to reach this sandbox. */
export interface Connection {
  /** For `createClient`: the URL of the operations, with the version segment. */
  readonly baseUrl: string
  /** For `createClient`: account id and key. */
  readonly credentials: { readonly client: number; readonly key: string }
  /** The `status` of a right code, for the option of the same name. */
  readonly approvedStatuses: readonly string[]
}

/** Codes of machines without IPv6, and of a port that another program holds on ::1 only. */
const dispensable = ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EADDRINUSE']

/** With the usual five seconds, a test on a busy machine loses requests that were on their way to an idle connection. */
const settings = { keepAliveTimeout: 60_000 }

/** Listens on one address; on both loopback addresses when it is the default one. Requests wait for `serve`. */
export async function listen(host: string, port: number) {
  const first = createServer(settings)
  const taken = await bind(first, host, port)
  const servers = [first]
  if (host === defaultHost) {
    const second = createServer(settings)
    // `localhost` is ::1 first in many programs.
    const bound = await bind(second, '::1', taken).catch((error: NodeJS.ErrnoException) => {
      if (!dispensable.includes(error.code ?? '')) throw error
    })
    if (bound !== undefined) servers.push(second)
  }

  let closed: Promise<void> | undefined
  return {
    port: taken,
    serve(listener: RequestListener): void {
      for (const server of servers) server.on('request', listener)
    },
    /** Ends every connection and frees the port. */
    close(): Promise<void> {
      closed ??= Promise.all(servers.map((server) => once(server.close(), 'close'))).then(() => {})
      for (const server of servers) server.closeAllConnections()
      return closed
    },
  }
}

async function bind(server: Server, host: string, port: number): Promise<number> {
  await once(server.listen(port, host), 'listening')
  return (server.address() as AddressInfo).port
}
