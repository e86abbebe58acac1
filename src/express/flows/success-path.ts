import type { Grant } from '../../challenge/proofs/grants.js'
import { optionError } from '../../lib/options.js'
import { hostFunction } from '../host/boundary.js'
import { safePath } from '../http/return-path.js'

/** Where success leads: a path of this site, or a function that makes one of what was proven. */
export type SuccessPath<Proven> = string | ((proven: Proven) => string | Promise<string>)

/** The paths of sign-in and step-up. One verify route completes what several start routes began. */
export interface SuccessPaths {
  /** For one purpose; without a name for every purpose that has none of its own. */
  add(where: string, purpose: string | undefined, path: SuccessPath<Grant> | undefined): void
  /** Where this grant leads; undefined when nobody said. */
  of(grant: Grant): Promise<string | undefined>
}

export function createSuccessPaths(): SuccessPaths {
  const paths = new Map<string | undefined, SuccessPath<Grant>>()
  return {
    add(where, purpose, path) {
      if (path === undefined) return
      if ((paths.get(purpose) ?? path) !== path) {
        const what = purpose === undefined ? 'every purpose' : `the purpose "${purpose}"`
        throw optionError(
          `${where}: ${what} has another successPath already; send returnTo with the form instead`,
        )
      }
      paths.set(purpose, path)
    },
    of: async (grant) => pathAfter(paths.get(grant.purpose) ?? paths.get(undefined), grant),
  }
}

/** Undefined without a path, and for one that may leave the site. */
export async function pathAfter<Proven>(
  path: SuccessPath<Proven> | undefined,
  proven: Proven,
): Promise<string | undefined> {
  const made = typeof path === 'function' ? await hostFunction(path)(proven) : path
  // Open redirect: the function may have used what a visitor sent.
  return typeof made === 'string' ? safePath(made) : undefined
}

/** Whether the option can be used. */
export function isSuccessPath(value: unknown): boolean {
  return typeof value === 'function' || (typeof value === 'string' && safePath(value) !== undefined)
}
