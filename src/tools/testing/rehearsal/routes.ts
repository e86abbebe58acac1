import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { isRegExp } from 'node:util/types'
import { watch } from '../../../express/guard/coverage.js'
import { oneSpelling } from '../guard-coverage.js'
import type { RehearsalRoute } from './contract.js'
import { codeOf } from './diagnosis.js'
import type { RehearsalRequest, RehearsalResponse } from './wire.js'

/** The members that routers of Express 4 and 5 share. */
interface Routing {
  readonly stack: readonly Layer[]
}

interface Layer {
  readonly route?: Route
  readonly handle?: unknown
  /** Express 5.3: the mount path. */
  readonly rawPath?: unknown
  /** Express 4: the pattern of the mount path, and its parameters. */
  readonly regexp?: RegExp & { readonly fast_slash?: boolean }
  readonly keys?: readonly { readonly name: string | number }[]
}

interface Route {
  readonly path: unknown
  readonly methods: Readonly<Record<string, boolean>>
}

/** The members of an Express request that name the route that answered it, and its sub-app. */
type Routed = IncomingMessage &
  Parameters<typeof watch>[0] & { readonly route?: Route; readonly baseUrl?: string; readonly app?: SubApp }

interface SubApp {
  /** Returns its mount path, including the mounts of the apps above. */
  path(): string
}

/** A route of a router, by the name in the result. */
interface Listed {
  readonly name: string
  readonly route: Route
  /** True for a regular expression: no request can be made from it. */
  readonly isPattern: boolean
}

type Kind = RehearsalRoute['kind']

const unsafe = ['POST', 'PUT', 'PATCH', 'DELETE']

export type RouteTable = ReturnType<typeof createRouteTable>

/**
 * Creates the only table of routes: all routes of an Express app in this process that change something, and how each is
 * covered.
 */
export function createRouteTable(
  server: Server,
  { own, ignore }: { readonly own: readonly string[]; readonly ignore: readonly string[] },
) {
  const root = server.listeners('request').find((listener) => isRouting(routingOf(listener)))
  /** Mounts that only a request shows: an older Express 5 does not store them. */
  const mounts = new Map<Route, Set<string>>()
  /** Requests that reached a route, such as `POST /transfers/7`. */
  const reached = new Map<Route, Set<string>>()
  const named = new Map<string, Kind>()
  const guarded = new Set<string>()
  /** A router does not list its sub-apps, but a request that reached a sub-app shows it. */
  const subApps = new Map<object, string>()

  function note(req: Routed, res: ServerResponse): void {
    const target = keyOf({ method: String(req.method), path: String(req.url) })
    const watched = watch(req)
    res.once('close', () => {
      if (watched.guarded) guarded.add(target)
      const { route, baseUrl = '', app } = req
      if (app !== undefined && Object(app) !== root) subApps.set(app, app.path().replace(/^\/$/, ''))
      if (route === undefined) return
      // A route that called `next` is still on the request, below the mount of the route that responded.
      if (!pathsOf(route).some((path) => leadsTo(`${baseUrl}${path}`, target))) return
      add(mounts, route, baseUrl)
      add(reached, route, target)
    })
  }
  server.prependListener('request', note)

  function declaredIn({ stack }: Routing, above = ''): readonly Listed[] {
    return stack.flatMap((layer) => {
      const { route, handle } = layer
      if (route === undefined)
        return isRouting(handle) ? declaredIn(handle, above + (mountOf(layer) ?? '…')) : []
      const shown = above.includes('…') ? mounts.get(route) : undefined
      return [...(shown ?? [above])].flatMap((mount) => listedAt(mount, route))
    })
  }

  const declared = (): readonly Listed[] => {
    const apps = root === undefined ? [] : [[root, ''] as const, ...subApps]
    return apps.flatMap(([app, mount]) => {
      const routing = routingOf(app)
      return isRouting(routing) ? declaredIn(routing, mount) : []
    })
  }

  /** Returns routes that were reached but that no router lists: they are behind a function of the app. */
  function hidden(shown: readonly Listed[]): readonly Listed[] {
    const known = new Set(shown.map(({ route }) => route))
    return [...mounts].flatMap(([route, at]) =>
      known.has(route) ? [] : [...at].flatMap((mount) => listedAt(mount, route)),
    )
  }

  /** Returns the app's own routes that change something, by name. */
  function all(): ReadonlyMap<string, readonly Listed[]> {
    const shown = declared()
    const found = [...shown, ...hidden(shown)].filter(
      ({ name }) => !own.some((mount) => isBelow(pathOf(name), mount)),
    )
    const names = [...new Set(found.map(({ name }) => name))].sort()
    return new Map(names.map((name) => [name, found.filter((one) => one.name === name)]))
  }

  const isUnseen = (name: string, listed: readonly Listed[]) =>
    listed.some(({ isPattern }) => isPattern) && kindOf(name, listed) === 'unknown'

  function kindOf(name: string, listed: readonly Listed[]): Kind {
    const own = listed.flatMap(({ route }) => [...(reached.get(route) ?? [])])
    // A route without parameters is its own request.
    const targets = [...own.filter((target) => reaches(name, target)), oneSpelling(name)]
    const kinds = targets.map((target) => named.get(target))
    if (ignore.some((pattern) => isNamed(pattern, name))) return 'exempt'
    for (const kind of ['attacked', 'exempt'] as const) if (kinds.includes(kind)) return kind
    if (targets.some((target) => guarded.has(target))) return 'guarded'
    return kinds.includes('answered') ? 'answered' : 'unknown'
  }

  const name = (request: RehearsalRequest, kind: Kind) => {
    const key = keyOf(request)
    if (named.get(key) !== 'attacked') named.set(key, kind)
  }

  return {
    /** True for an Express app. */
    isKnown: root !== undefined,
    /** Returns whether requests reached routes that no router lists: there may be more. */
    hasHidden: () => hidden(declared()).length > 0,
    attack: (request: RehearsalRequest) => name(request, 'attacked'),
    exempt: (request: RehearsalRequest) => name(request, 'exempt'),
    answered: (request: RehearsalRequest) => name(request, 'answered'),
    /** Notes a refusal by the package: its guard is on the route. */
    hear(response: RehearsalResponse): void {
      const code = codeOf(response)
      const { location = '' } = response.headers
      if (
        code === 'second_factor_required' ||
        code === 'not_identified' ||
        /[?&]requirement=/.test(location)
      ) {
        guarded.add(keyOf(response.request))
      }
    },
    list: (): readonly RehearsalRoute[] =>
      [...all()].flatMap(([name, listed]) =>
        isUnseen(name, listed) ? [] : [{ route: name, kind: kindOf(name, listed) }],
      ),
    /** Returns routes whose path is a regular expression that no request of the plan matched. */
    patterns: (): readonly string[] =>
      [...all()].flatMap(([name, listed]) => (isUnseen(name, listed) ? [name] : [])),
    close: () => void server.off('request', note),
  }
}

const pathsOf = ({ path }: Route): readonly unknown[] => [path].flat()

/** Returns the names of a route below a mount, one for each path and each method that changes something. */
function listedAt(mount: string, route: Route): readonly Listed[] {
  const taken = unsafe.filter((method) => route.methods._all || route.methods[method.toLowerCase()])
  const methods = taken.length === unsafe.length ? ['ALL'] : taken
  return pathsOf(route).flatMap((path) =>
    methods.map((method) => ({
      name: `${method} ${mount}${path}`,
      route,
      isPattern: isRegExp(path),
    })),
  )
}

/** Creates a request for a declared route, with 1 for each parameter and no optional part; undefined for a pattern. */
export function requestFor(route: string): RehearsalRequest | undefined {
  const [method = '', path = ''] = route.split(' ')
  const filled = path.replaceAll(/\{[^{}]*\}/g, '').replaceAll(/[:*]\w+(\([^)]*\))?/g, '1')
  return /^\/[\w/.~-]*$/.test(filled)
    ? { method: method === 'ALL' ? 'POST' : method, path: filled }
    : undefined
}

/** Returns whether a declared path, unless it is a pattern, matches the path of a request. */
function leadsTo(declared: string, target: string): boolean {
  const names = pathOf(keyOf({ method: 'GET', path: declared })).split('/')
  const given = pathOf(target).split('/')
  if (/[*(){}[\]^\\]/.test(declared)) return true
  return names.length === given.length && names.every((name, at) => name.includes(':') || name === given[at])
}

/** Returns whether a request has the method and the path of a listed route. */
const reaches = (name: string, target: string): boolean =>
  [methodOf(target), 'ALL'].includes(methodOf(name)) && leadsTo(pathOf(name), target)

const methodOf = (route: string): string => route.split(' ', 1).join()

const pathOf = (route: string): string => route.slice(route.indexOf(' ') + 1)

const isBelow = (path: string, mount: string): boolean => path === mount || path.startsWith(`${mount}/`)

const keyOf = ({ method, path }: Pick<RehearsalRequest, 'method' | 'path'>): string =>
  oneSpelling(`${method} ${path.split(/[?#]/, 1)}`)

/** Returns whether a pattern of `ignore` names a route. Any method names an `ALL` route, which handles every method. */
const isNamed = (pattern: string, route: string): boolean =>
  [pattern, `ALL ${pathOf(pattern)}`].some((one) => oneSpelling(one) === oneSpelling(route))

function add(map: Map<Route, Set<string>>, route: Route, value: string): void {
  const values = map.get(route) ?? new Set()
  map.set(route, values.add(value))
}

function mountOf({ rawPath, regexp, keys = [] }: Layer): string | undefined {
  if (typeof rawPath === 'string') return rawPath === '/' ? '' : rawPath
  if (regexp === undefined) return undefined
  if (regexp.fast_slash) return ''
  let at = 0
  const source = regexp.source.replaceAll(/\(\?:\\\/\(\[\^\\?\/\]\+\?\)\)/g, () => `\\/:${keys[at++]?.name}`)
  const [, path] = /^\^((?:\\\/:?[\w~-]+(?:\\\.[\w~-]+)*)+)\\\/\?\(\?=\\\/\|\$\)$/.exec(source) ?? []
  return path?.replaceAll('\\', '')
}

/** Express 4 throws for `router`, and creates its own at the first route. Express 5 has no `_router`. */
function routingOf(listener: object): unknown {
  return Reflect.get(listener, 'lazyrouter') === undefined
    ? Reflect.get(listener, 'router')
    : Reflect.get(listener, '_router')
}

/** A sub-app of Express is a function with a router of its own. */
function isRouting(value: unknown): value is Routing {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return Array.isArray(Reflect.get(value, 'stack'))
}
