import type { Request } from 'express'
import { optionError } from '../../lib/options.js'
import { safePath } from './return-path.js'

/** The option `path`, which may hold parameters: `/app/:tenant/two-factor`. */
export interface MountPath {
  /** Where the routes are for this request: with the values of its own address. */
  of(req: Request): string
  /** Whether routes mounted here are those that links lead to, whatever the values. */
  fits(baseUrl: string): boolean
}

export function createMountPath(pattern: string): MountPath {
  const parts = segments(pattern)
  const isFixed = parts.every((part) => !part.startsWith(':'))

  function fits(baseUrl: string): boolean {
    const given = segments(baseUrl)
    return given.length === parts.length && parts.every((part, index) => stands(part, given[index]))
  }

  /** By the address first, because the parameters of a router that does not merge them are not there. */
  function fill(req: Request): string {
    const [pathname = ''] = req.originalUrl.split('?', 1)
    const given = segments(pathname)
    let alike = true
    const filled = parts.map((part, index) => {
      const here = given[index]
      alike &&= stands(part, here)
      if (!part.startsWith(':')) return part
      const value = req.params[part.slice(1)]
      return alike ? here : typeof value === 'string' ? encodeURIComponent(value) : ''
    })
    const path = `/${filled.join('/')}`
    // Open redirect: an empty first segment would make another site of the second.
    if (filled.every(isName) && safePath(path) !== undefined) return path
    throw optionError(
      `path "${pattern}" has parameters that this request has no values for: mount routes and guards below the same parameters`,
    )
  }

  return {
    fits,
    of(req) {
      if (isFixed) return pattern
      // Open redirect: browsers read `/\host` as another site.
      return fits(req.baseUrl) && safePath(req.baseUrl) !== undefined ? req.baseUrl : fill(req)
    },
  }
}

function segments(path: string): readonly string[] {
  return path.split('/').slice(1)
}

function stands(part: string, given: string | undefined): boolean {
  return part.startsWith(':') ? isName(given) : part.toLowerCase() === given?.toLowerCase()
}

/** No dot segment, which a browser would resolve to another place. */
function isName(segment: string | undefined): boolean {
  return segment !== undefined && segment !== '' && !/^(?:\.|%2e){1,2}$/i.test(segment)
}
