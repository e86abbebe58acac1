import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** A router of Express 4 or 5, and what stands in it, as far as both have the same. */
interface Routing {
  readonly stack: readonly { readonly route?: Route; readonly handle?: Partial<Routing> }[]
}

interface Route {
  readonly path: unknown
  readonly methods: Readonly<Record<string, boolean>>
}

/** What a request of Express knows of the route that answered it. */
type Routed = IncomingMessage & { readonly route?: Route; readonly baseUrl?: string }

const unsafe = ['POST', 'PUT', 'PATCH', 'DELETE']

/** Sees which routes of an Express app of this process are reached. */
export function watchTraffic(server: Server) {
  /** Where the router of each route is mounted, and the methods that reached it. */
  const reached = new Map<Route, { readonly mount: string; readonly methods: Set<string> }>()
  const note = (req: Routed, res: ServerResponse) =>
    void res.once('close', () => {
      if (req.route === undefined) return
      const seen = reached.get(req.route) ?? { mount: req.baseUrl ?? '', methods: new Set() }
      reached.set(req.route, { ...seen, methods: seen.methods.add(req.method ?? '') })
    })
  server.prependListener('request', note)

  function missedIn({ stack }: Routing, own: readonly string[], isTop: boolean): readonly string[] {
    const routes = stack.flatMap(({ route }) => (route === undefined ? [] : [route]))
    // Where a router is mounted is told by a request that reached one of its routes, in both lines of Express.
    const mount = isTop ? '' : routes.map((route) => reached.get(route)?.mount).find(Boolean)
    if (mount !== undefined && own.includes(mount)) return []
    const missed = routes.flatMap((route) => {
      const methods = reached.get(route)?.methods ?? new Set()
      const taken = route.methods._all
        ? ['ALL']
        : unsafe.filter((method) => route.methods[method.toLowerCase()])
      return taken
        .filter((method) => !(methods.has(method) || (method === 'ALL' && methods.size > 0)))
        .map((method) => `${method} ${mount ?? '…'}${String(route.path)}`)
    })
    const below = stack.flatMap(({ handle }) => (hasStack(handle) ? missedIn(handle, own, false) : []))
    return [...missed, ...below]
  }

  return {
    close: () => void server.off('request', note),
    /** Routes that change something, without those of the package, which are mounted at `own`. */
    missed(own: readonly string[]): readonly string[] {
      const routing = server.listeners('request').map(routingOf).find(hasStack)
      return routing === undefined ? [] : [...new Set(missedIn(routing, own, true))].sort()
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
