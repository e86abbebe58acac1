import { type Catalogue, catalogueOf, type Dialect } from '../service/dialect.js'

/** Says what a request that no operation matched probably meant; undefined when nothing is similar. */
export function pathHint(
  method: string,
  path: string,
  { dialect, basePath }: { readonly dialect: Dialect; readonly basePath: string },
): string | undefined {
  const [own, observed] = [routesOf(catalogueOf(dialect)), routesOf(catalogueOf('observed'))]
  const exact = own.find((route) => `${basePath}${route.path}` === path)
  if (exact !== undefined && exact.method !== method) return `Use ${exact.method}, not ${method}.`
  if (observed.some((route) => `${basePath}${route.path}` === path))
    return '--dialect observed has this path.'
  const plain = path.toLowerCase().replaceAll(/\/+/g, '/').replace(/\/$/, '')
  const [nearest] = own
    .filter((route) => plain.endsWith(route.path))
    .sort((a, b) => b.path.length - a.path.length)
  return nearest && `Did you mean ${nearest.method} ${basePath}${nearest.path}?`
}

function routesOf(catalogue: Catalogue): { readonly method: string; readonly path: string }[] {
  return Object.values(catalogue).flatMap(({ method, path, otherPaths = [] }) =>
    [path, ...otherPaths].map((one) => ({ method, path: one })),
  )
}
