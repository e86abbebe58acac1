import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { defaultHost, type SandboxSettings } from './options.js'

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']
/** Addresses for all interfaces of the machine. */
const wildcards = ['0.0.0.0', '::']

/** Returns the addresses of a sandbox, once its port is known. */
export function reachOf({ host, publicUrl, basePath, allowedHosts }: SandboxSettings, port: number) {
  const name = wildcards.includes(host) ? '127.0.0.1' : isIP(host) === 6 ? `[${host}]` : host
  // The displayed address, and the start of short URLs.
  const origin = publicUrl === undefined ? `http://${name}:${port}` : new URL(publicUrl).origin
  // An IP address cannot be rebound, so the listening address is as safe as the loopback names.
  const own = [...loopbackNames, name].map((one) => `${one}:${port}`)
  const published = publicUrl === undefined ? [] : [new URL(publicUrl).host]
  const all = [...own, ...published, ...allowedHosts].map((one) => one.toLowerCase())
  // Host headers: an entry with a port allows exactly this port, an entry without a port allows any.
  return { origin, baseUrl: `${origin}${basePath}`, allowedHosts: [...new Set(all)] }
}

/** The values that a program needs to reach this sandbox. */
export interface Connection {
  /** For `createClient`: the URL of the operations, with the version segment. */
  readonly baseUrl: string
  /** For `createClient`: account id and key. */
  readonly credentials: { readonly client: number; readonly key: string }
  /** The `status` of a correct code, for the option `approvedStatuses`. */
  readonly approvedStatuses: readonly string[]
}

/** Error codes of machines without IPv6, and of a port that another program uses on ::1 only. */
const dispensable = ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EADDRINUSE']

/** With the default of five seconds, a test on a busy machine loses requests that it sends on an idle connection. */
const settings = { keepAliveTimeout: 60_000 }

/** Listens on one address; for the default address, on both loopback addresses. Requests wait for `serve`. */
export async function listen(host: string, port: number) {
  const first = createServer(settings)
  const taken = await bind(first, host, port)
  const servers = [first]
  if (host === defaultHost) {
    const second = createServer(settings)
    // Many programs resolve `localhost` to ::1 first.
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
    /** Closes every connection and frees the port. */
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
