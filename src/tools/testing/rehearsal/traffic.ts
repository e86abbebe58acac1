import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** A router of Express 4 or 5, and what stands in it, as far as both have the same. */
interface Routing {
  readonly stack: readonly { readonly route?: Route; readonly handle?: Partial<Routing> }[]
}

interface Route {
  readonly path: string | RegExp
  readonly methods: Readonly<Record<string, boolean>>
}

/** What a request of Express knows of the route that answered it. */
type Routed = IncomingMessage & { readonly route?: Route; readonly baseUrl?: string }

const unsafe = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Sees which routes of an Express app of this process are reached. */
export function watchTraffic(server: Server) {
  /** Such as `POST /transfers/:id`. A route that passes the request on is not what answered, but has the same name. */
  const reached = new Set<string>()
  /** Where the router of a route is mounted: only a request that reached it tells that, in both lines of Express. */
  const mounts = new Map<Route, string>()
  const note = (req: Routed, res: ServerResponse) =>
    void res.once('close', () => {
      const { method, route, baseUrl = '' } = req
      if (route === undefined) return
      mounts.set(route, baseUrl)
      for (const name of [method, 'ALL']) reached.add(`${name} ${baseUrl}${route.path}`)
    })
  server.prependListener('request', note)

  function missedIn({ stack }: Routing, own: readonly string[], at?: string): readonly string[] {
    const routes = stack.flatMap(({ route }) => (route === undefined ? [] : [route]))
    const mount = at ?? routes.map((route) => mounts.get(route)).find((known) => known !== undefined) ?? '…'
    if (own.includes(mount)) return []
    const names = routes.flatMap(({ path, methods }) => {
      const taken = unsafe.filter((method) => methods._all || methods[method.toLowerCase()])
      return (taken.length === unsafe.length ? ['ALL'] : taken).map((method) => `${method} ${mount}${path}`)
    })
    const below = stack.flatMap(({ handle }) => (hasStack(handle) ? missedIn(handle, own) : []))
    return [...names.filter((name) => !reached.has(name)), ...below]
  }

  return {
    close: () => void server.off('request', note),
    /** Routes that change something, without those of the package, which are mounted at `own`. */
    missed(own: readonly string[]): readonly string[] {
      const routing = server.listeners('request').map(routingOf).find(hasStack)
      return routing === undefined ? [] : [...new Set(missedIn(routing, own, ''))].sort()
    },
  }
}

/** Express 4 throws for `router`, and makes its own at the first route; Express 5 has no `_router`. */
function routingOf(listener: object): unknown {
  return Reflect.get(listener, 'lazyrouter') === undefined
    ? Reflect.get(listener, 'router')
    : Reflect.get(listener, '_router')
}

const hasStack = (value: unknown): value is Routing =>
  (typeof value === 'object' || typeof value === 'function') &&
  value !== null &&
  Array.isArray(Reflect.get(value, 'stack'))
