import type { Request } from 'express'

// Express 4 and 5 have these members without documenting them. Where one is absent, nothing is found.

interface Layer {
  readonly handle?: { readonly stack?: unknown }
  /** Returns the part of a path that is the mount. Older versions return true and set `path` to this part. */
  match(path: string): boolean | { readonly path?: unknown }
  readonly path?: unknown
}

interface App {
  readonly parent?: App
  readonly mountpath: unknown
  path(): string
  /** Express 4. */
  readonly _router?: { readonly stack?: unknown }
  /** Express 5. In Express 4 it throws. */
  readonly router?: { readonly stack?: unknown }
}

/** The routers of an app, and their number. */
interface Routers {
  readonly routers: WeakSet<object>
  readonly count: number
}

/**
 * Returns whether Express shows where all these routers are mounted, and that none of them is at `path`. It does not show
 * a router in a function or in an app that is not above this request.
 */
export function areMountedElsewhere({ routers, count }: Routers, path: string, req: Request): boolean {
  const found = new Set<unknown>()
  for (const app of appsOf(req)) {
    // Express fills in a pattern for each request.
    if (!isFixed(app.mountpath)) return false
    const paths = pathsIn(app, path, req)
    for (const layers of findMounts(stackOf(app), routers)) {
      if (paths.some((below) => leadThrough(layers, below))) return false
      found.add(layers.at(-1)?.handle)
    }
  }
  return found.size > 0 && found.size === count
}

/** Returns whether Express shows that the app mounts one of these functions. */
export const isMounted = (handlers: WeakSet<object>, req: Request): boolean =>
  appsOf(req).some((app) => findMounts(stackOf(app), handlers).length > 0)

/** Returns the app of a request and the apps in which it is mounted. */
function appsOf(req: Request): readonly App[] {
  const apps: App[] = []
  for (let app: App | undefined = req.app as unknown as App; app !== undefined; app = app.parent)
    apps.push(app)
  return apps
}

const stackOf = (app: App) => (app._router ?? app.router)?.stack

const isFixed = (mount: unknown) => typeof mount === 'string' && /^[\w/.~-]*$/.test(mount)

/** Returns the layers from a stack down to each of the routers. */
function findMounts(
  stack: unknown,
  routers: WeakSet<object>,
  above: readonly Layer[] = [],
): readonly (readonly Layer[])[] {
  if (!Array.isArray(stack)) return []
  return stack.filter(isLayer).flatMap((layer) => {
    const layers = [...above, layer]
    if (layer.handle !== undefined && routers.has(layer.handle)) return [layers]
    const isInItself = above.some(({ handle }) => handle === layer.handle)
    return isInItself ? [] : findMounts(layer.handle?.stack, routers, layers)
  })
}

const isLayer = (layer: Partial<Layer> | undefined): boolean => typeof layer?.match === 'function'

/** Returns what an app sees of a path, also if other code than Express has removed a part of the URL before the app. */
function pathsIn(app: App, path: string, { baseUrl }: Request): readonly string[] {
  const mount = app.path().replaceAll(/\/+/g, '/').replace(/\/$/, '')
  const removed = [...baseUrl.matchAll(/\/|$/g)].map(({ index }) => baseUrl.slice(0, index))
  return removed
    .map((part) => `${part}${mount}/`.toLowerCase())
    .filter((start) => `${path}/`.toLowerCase().startsWith(start))
    .map((start) => path.slice(start.length - 1))
}

/**
 * Returns whether a path may be the mount of these layers, each below the one before. An unknown version of Express must
 * not cause a false alarm.
 */
function leadThrough(layers: readonly Layer[], path: string): boolean {
  let rest = path
  for (const layer of layers) {
    const match = layer.match(rest)
    if (!match) return false
    const { path: mount } = match === true ? layer : match
    if (typeof mount !== 'string') return true
    rest = `/${rest.slice(mount.length).replace(/^\//, '')}`
  }
  return rest === '/'
}
