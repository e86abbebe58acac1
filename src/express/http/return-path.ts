import type { Request } from 'express'
import type { Grant } from '../../challenge/proofs/grants.js'
import { optionError } from '../../lib/options.js'
import { isPlainObject } from '../../lib/plain-object.js'
import { hostFunction } from '../host/boundary.js'
import { isSameOrigin } from './origin-check.js'

const maxLength = 1_024

/**
 * The string if it is a path on this site, else undefined (open redirect). It ends up in a `Location`
 * header, so everything that a browser might resolve to another site is refused: `//host`, `/\host`,
 * tabs and line breaks (which browsers drop), non-ASCII characters.
 *
 * Returned as it is, never normalized: `/.//host` is on this site, its normalized form `//host` is not.
 */
export function safePath(text: string | undefined): string | undefined {
  if (text === undefined || text.length > maxLength) return undefined
  return /^\/(?!\/)[!-[\]-~]*$/.test(text) ? text : undefined
}

/** Whether a redirect can repeat this request after the code. A form post cannot be repeated. */
export function isRepeatable({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

/**
 * Where to continue after the code: at the requested page, or at the page with the interrupted form. The form's
 * page is the host's word for it, else the `returnTo` that the form brought, else the Referer, which a page with
 * the referrer policy `no-referrer` does not send.
 */
export function returnPathOf(req: Request, formPath?: string): string | undefined {
  if (isRepeatable(req)) return safePath(req.originalUrl)
  return safePath(formPath) ?? postedPath(req.body) ?? refererPath(req)
}

function postedPath(body: unknown): string | undefined {
  if (!isPlainObject(body) || !Object.hasOwn(body, 'returnTo')) return undefined
  return typeof body.returnTo === 'string' ? safePath(body.returnTo) : undefined
}

function refererPath(req: Request): string | undefined {
  const { referer } = req.headers
  if (referer === undefined || !isSameOrigin(req, referer)) return undefined
  const { pathname, search } = new URL(referer)
  return safePath(pathname + search)
}

/** Where success leads: a path of this site, or a function that makes one of what was proven. */
export type SuccessPath<Proven> = string | ((proven: Proven) => string | Promise<string>)

/** The paths of sign-in and step-up. One verify route completes what several start routes began. */
export interface SuccessPaths {
  /** For one purpose; without a name for every purpose that has none of its own. */
  add(where: string, purpose: string | undefined, path: SuccessPath<Grant> | undefined): void
  /** Where this grant leads; undefined when nobody said. */
  of(grant: Grant): Promise<string | undefined>
}

export function createSuccessPaths(hostTimeoutMs: number): SuccessPaths {
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
    of: async (grant) => pathAfter(paths.get(grant.purpose) ?? paths.get(undefined), grant, hostTimeoutMs),
  }
}

/** Undefined without a path, and for one that may leave the site. */
export async function pathAfter<Proven>(
  path: SuccessPath<Proven> | undefined,
  proven: Proven,
  timeoutMs: number,
): Promise<string | undefined> {
  const deadline = { name: 'successPath', timeoutMs }
  const made = typeof path === 'function' ? await hostFunction(path, deadline)(proven) : path
  // Open redirect: the function may have used what a visitor sent.
  return typeof made === 'string' ? safePath(made) : undefined
}

/** Whether an option can be used that is a path of this site, or a function that makes one later. */
export function isSuccessPath(value: unknown): boolean {
  return typeof value === 'function' || (typeof value === 'string' && safePath(value) !== undefined)
}
