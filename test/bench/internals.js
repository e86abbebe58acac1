// Some bars look inside: they take the modules that the published files are bundled from.
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const internals = fileURLToPath(new URL('../../build/modules', import.meta.url))

/** A compiled module, by its path below src/. */
export const internal = (path) => import(pathToFileURL(join(internals, path)).href)
